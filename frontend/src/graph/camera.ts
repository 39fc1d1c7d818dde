/** Which part of a drawing is on screen. `x` and `y` are where its corner stands, in pixels; `scale` pixels per unit. */
import type { Arranged, Box, Point } from "./arrange";

export interface Camera extends Point {
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

const NEAREST = 2.5;
const FARTHEST = 0.02;
/** Below it, names can no longer be read. */
const READABLE = 0.65;
const LARGEST_FIT = 1.1;
/** Pixels at the right edge that buttons stand on. */
const BUTTONS = 44;

/** The whole drawing, as large as it fits beside the buttons. */
export function fitted(drawing: Size, screen: Size): Camera {
  const width = screen.width - BUTTONS;
  const scale = Math.min(width / drawing.width, screen.height / drawing.height, LARGEST_FIT);
  return {
    scale,
    x: Math.min((screen.width - drawing.width * scale) / 2, width - drawing.width * scale),
    y: (screen.height - drawing.height * scale) / 2,
  };
}

/** What one looks at first: all of it if it can be read, else the readable part around `box`. */
export function opening(drawing: Arranged, box: Box | undefined, screen: Size): Camera {
  const whole = fitted(drawing, screen);
  return whole.scale >= READABLE || !box ? whole : centredOn(box, READABLE * 1.25, screen);
}

export function centredOn({ x, y }: Point, scale: number, screen: Size): Camera {
  return { scale, x: screen.width / 2 - x * scale, y: screen.height / 2 - y * scale };
}

/** Zooms by `factor` (above 1: closer) so that what is at `at`, in pixels, stays there. */
export function zoomed(camera: Camera, factor: number, at: Point): Camera {
  const scale = Math.min(Math.max(camera.scale * factor, FARTHEST), NEAREST);
  const change = scale / camera.scale;
  return { scale, x: at.x - (at.x - camera.x) * change, y: at.y - (at.y - camera.y) * change };
}

/** The camera, moved just so far that `box` is on screen. */
export function revealing(camera: Camera, box: Box, screen: Size): Camera {
  const along = (corner: number, centre: number, length: number, room: number): number => {
    const [low, high] = [
      corner + (centre - length / 2) * camera.scale,
      corner + (centre + length / 2) * camera.scale,
    ];
    if (low < 0) return corner - low;
    return high > room ? corner - Math.min(high - room, low) : corner;
  };
  return {
    scale: camera.scale,
    x: along(camera.x, box.x, box.width, screen.width),
    y: along(camera.y, box.y, box.height, screen.height),
  };
}
