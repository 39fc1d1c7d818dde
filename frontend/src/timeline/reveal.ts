/** Bringing what is selected into view. */
import { batch } from "@preact/signals";
import type { Engine } from "./engine";
import type { Selected, Span } from "./state";
import { xOf } from "./viewport";

const MARGIN = 0.1;
/** CSS pixels below which an event is too narrow to be seen. */
const NARROW = 2;
/** CSS pixels at the top that the heading of a section may cover. */
const HEADING = 30;

/** Fits the selection; the whole profile where there is none, or where it fits already. */
export function fit({ camera, selected, area, measured, view }: Engine): void {
  const target = selected.value ?? area.value ?? measured.value;
  const before = view.value;
  if (target) camera.show(...spread(target));
  const { start, scale } = view.value;
  const same = Math.abs(start - before.start) < scale && Math.abs(scale / before.scale - 1) < 1e-6;
  if (!target || same) camera.showAll();
}

/** Shows an event, opening what hides its track. */
export function bringIntoView(engine: Engine, event: Selected): void {
  const { camera, choices, model } = engine;
  const section = model.sections.find(({ tracks }) => tracks.some(({ id }) => id === event.track));
  if (!section) return;
  const without = <T>(set: ReadonlySet<T>, value: T): Set<T> =>
    new Set([...set].filter((each) => each !== value));
  const { closed, opened, hidden } = choices.value;
  const idle = engine.trackOf(event.track)?.idle;
  batch(() => {
    engine.choose({
      closed: without(closed, section.id),
      hidden: without(hidden, event.track),
      opened: idle ? new Set([...opened, section.id]) : opened,
    });
    const view = engine.view.value;
    const [left, right] = [xOf(view, event.start), xOf(view, event.end)];
    if (right - left > view.width) camera.show(...spread(event));
    else if (right - left < NARROW) camera.show(event.start, Math.max(event.end, event.start + 1), 4);
    else if (left < 0 || right > view.width) camera.centre((event.start + event.end) / 2);
  });
  scrollToSelected(engine);
}

/** Scrolls to the lane of the selected event, where it is out of sight. */
export function scrollToSelected({ selected, layout, scroller }: Engine): void {
  const event = selected.value;
  const row = layout.value.rows.find((each) => each.kind === "track" && each.track.id === event?.track);
  if (!event || row?.kind !== "track" || !scroller) return;
  const top = row.y + event.lane * row.laneHeight;
  const { scrollTop, clientHeight } = scroller;
  if (top < scrollTop + HEADING || top + row.laneHeight > scrollTop + clientHeight)
    scroller.scrollTop = top - clientHeight / 2;
}

/** An event with some room around it; a great deal around one without duration. */
function spread({ start, end }: Span): [number, number, number] {
  return [start, Math.max(end, start + 1), end > start ? MARGIN : 50];
}
