/** Arrows from causes to effects, of the selected event or of all in view, as far as their tracks are on screen. */
import type { Engine } from "./engine";
import type { Frame } from "./frame";
import type { Ink } from "./paint";
import type { Selected } from "./state";
import { xOf } from "./viewport";

const HEAD = 5;
const FAR = 1e4;

export function drawArrows(context: CanvasRenderingContext2D, engine: Engine, ink: Ink, frame: Frame): void {
  const { wanted, shown } = engine.flows;
  if (wanted.value) {
    context.strokeStyle = context.fillStyle = ink.muted;
    context.lineWidth = 1;
    for (const { cause, effect } of shown.value?.listed ?? []) arrow(context, frame, cause, effect);
  }
  const chosen = engine.selected.value;
  if (!chosen) return;
  context.strokeStyle = context.fillStyle = ink.accent;
  context.lineWidth = 1.5;
  for (const { event, cause } of engine.links.value)
    arrow(context, frame, cause ? event : chosen, cause ? chosen : event);
}

function arrow(context: CanvasRenderingContext2D, frame: Frame, cause: Selected, effect: Selected): void {
  const [from, to] = [heightOf(frame, cause), heightOf(frame, effect)];
  if (from === null || to === null) return;
  const clamp = (x: number): number => Math.min(Math.max(x, -FAR), FAR);
  const x = clamp(xOf(frame.view, cause.start));
  const end = clamp(xOf(frame.view, effect.start));
  const bend = Math.min(Math.max(Math.abs(end - x) / 2, 12), 60);
  context.beginPath();
  context.moveTo(x, from);
  context.bezierCurveTo(x + bend, from, end - bend, to, end - HEAD, to);
  context.stroke();
  context.beginPath();
  context.moveTo(end, to);
  context.lineTo(end - HEAD - 2, to - HEAD);
  context.lineTo(end - HEAD - 2, to + HEAD);
  context.fill();
}

/** The middle of an event's lane in the drawing; null where its track is not on screen. */
function heightOf({ strips, scrollTop }: Frame, event: Selected): number | null {
  for (const row of strips.keys())
    if (row.track.id === event.track) return row.y - scrollTop + (event.lane + 0.5) * row.laneHeight;
  return null;
}
