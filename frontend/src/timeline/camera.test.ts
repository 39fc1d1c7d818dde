import { expect, it } from "vitest";
import { Camera } from "./camera";
import { endOf } from "./viewport";

const shown = ({ view: { value } }: Camera): number[] => [value.start, endOf(value)].map(Math.round);

it("shows first the whole profile, or what the profile names, and goes on to at another width", () => {
  const [whole, part, asked] = [null, { start: 400, end: 600 }, { start: 400, end: 600 }].map(
    (opening) => new Camera(1000, opening),
  ) as [Camera, Camera, Camera];
  asked.show(100, 300);
  for (const camera of [whole, part, asked]) camera.resize(500);
  expect([whole, part, asked].map(shown)).toEqual([
    [-10, 1010],
    [400, 600],
    [100, 300],
  ]);
  for (const camera of [whole, asked]) camera.resize(900);
  expect([whole, asked].map(shown)).toEqual([
    [-10, 1010],
    [100, 300],
  ]);
  part.showAll();
  expect(shown(part)).toEqual([-10, 1010]);
});
