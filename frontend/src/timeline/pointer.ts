/** Mouse, touch and wheel on the drawing of the timeline. */
import type { Commands } from "./commands";
import type { Engine } from "./engine";
import type { Mode } from "./state";
import { NO_EVENT } from "./hit";
import { timeAt, xOf } from "./viewport";

/** CSS pixels: shorter drags are clicks; edges of events this near are met exactly. */
const CLICK = 4;
const SNAP = 6;

/** Follows the pointer on the drawing until the returned function is called. */
export function followPointer(engine: Engine, stage: HTMLElement, commands: Commands): () => void {
  let from: Start | null = null;
  let moved = false;
  const fingers = new Map<number, Point>();
  const place = (event: MouseEvent): Point => {
    const box = stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const down = (event: PointerEvent): void => {
    if (event.button !== 0 && event.button !== 1) return;
    const { x, y } = place(event);
    fingers.set(event.pointerId, { x, y });
    if (fingers.size > 1) {
      from = null;
      engine.measured.value = null;
      return;
    }
    const mode = event.button === 1 ? "pan" : event.shiftKey ? "select" : engine.mode.value;
    from = { x, y, time: snapped(engine, x, y, mode), mode };
    moved = false;
    stage.setPointerCapture(event.pointerId);
    stage.focus({ preventScroll: true });
  };
  const move = (event: PointerEvent): void => {
    const { x, y } = place(event);
    const known = fingers.get(event.pointerId);
    if (known && fingers.size === 2) {
      const [other] = [...fingers].flatMap(([id, at]) => (id === event.pointerId ? [] : [at]));
      if (other) pinch(engine, known, { x, y }, other);
      fingers.set(event.pointerId, { x, y });
      return;
    }
    if (known) fingers.set(event.pointerId, { x, y });
    engine.pointer = from ? null : { x, y };
    engine.point();
    if (!from) return;
    if (!moved && Math.hypot(x - from.x, y - from.y) < CLICK) return;
    if (!moved) {
      moved = true;
      stage.dataset["drag"] = from.mode;
    }
    drag(engine, from, x, y, { x: x - (known?.x ?? x), y: y - (known?.y ?? y) });
  };
  const up = (event: PointerEvent): void => {
    fingers.delete(event.pointerId);
    if (!from) return;
    const { x, y } = place(event);
    const { mode } = from;
    from = null;
    delete stage.dataset["drag"];
    if (!moved) commands.select(engine.hitAt(x, y));
    else if (mode === "zoom" && engine.measured.value) {
      const { start, end } = engine.measured.value;
      engine.measured.value = null;
      if (end > start) engine.camera.show(start, end);
    }
  };
  const leave = (): void => {
    engine.pointer = null;
    engine.point();
  };
  const double = (event: MouseEvent): void => {
    const { x, y } = place(event);
    const found = engine.hitAt(x, y);
    if (found && found.hit.id !== NO_EVENT)
      engine.camera.show(found.hit.start, Math.max(found.hit.end, found.hit.start + 1), 0.1);
  };
  const wheel = (event: WheelEvent): void => {
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    if (event.ctrlKey || event.metaKey) {
      engine.camera.zoom(Math.exp(-event.deltaY * unit * 0.0022), place(event).x);
      event.preventDefault();
      return;
    }
    const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
      engine.camera.pan(sideways * unit);
      event.preventDefault();
    }
  };
  const listeners = [
    ["pointerdown", down],
    ["pointermove", move],
    ["pointerup", up],
    ["pointercancel", up],
    ["pointerleave", leave],
    ["dblclick", double],
    ["wheel", wheel],
  ] as [string, EventListener][];
  for (const [name, listener] of listeners) stage.addEventListener(name, listener, { passive: false });
  return () => {
    for (const [name, listener] of listeners) stage.removeEventListener(name, listener);
  };
}

interface Point {
  x: number;
  y: number;
}

interface Start extends Point {
  time: number;
  mode: Mode;
}

/** One of two fingers has moved: what is under each of them stays there. */
function pinch(engine: Engine, before: Point, after: Point, other: Point): void {
  const distance = (point: Point): number => Math.max(Math.hypot(point.x - other.x, point.y - other.y), 10);
  engine.camera.zoom(distance(after) / distance(before), (before.x + other.x) / 2);
  engine.camera.pan((before.x - after.x) / 2);
}

/** `step` is how far the pointer has come since the last call. */
function drag(engine: Engine, from: Start, x: number, y: number, step: Point): void {
  if (from.mode === "pan") {
    engine.camera.pan(-step.x);
    engine.scrollBy(-step.y);
    return;
  }
  const to = snapped(engine, x, y, from.mode);
  const span = { start: Math.min(from.time, to), end: Math.max(from.time, to) };
  if (from.mode === "select") {
    const tracks = engine.tracksBetween(Math.min(from.y, y), Math.max(from.y, y) + 1);
    engine.area.value = { ...span, tracks };
  } else {
    engine.measured.value = span;
  }
}

/** The time under the pointer; where times are measured, that of an event's edge a few pixels away. */
function snapped(engine: Engine, x: number, y: number, mode: Mode): number {
  const view = engine.view.value;
  const time = Math.round(Math.min(Math.max(timeAt(view, x), 0), engine.end));
  if (mode === "zoom") return time;
  const found = engine.hitAt(x, y);
  const edges = found && !found.hit.block ? [found.hit.start, found.hit.end] : [];
  const near = edges.find((edge) => Math.abs(xOf(view, edge) - x) < SNAP);
  return near ?? time;
}
