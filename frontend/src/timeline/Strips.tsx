/** The two strips above the tracks: a map of the whole profile, and the ruler. Dragging in them moves and zooms the view. */
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { Engine } from "./engine";
import { endOf, timeAt } from "./viewport";

interface Props {
  engine: Engine;
  canvas: RefObject<HTMLCanvasElement>;
}

const CLICK = 4;
/** CSS pixels from an edge of the window on the map within which it is taken. */
const EDGE = 5;

/** Drags of the pointer on an element, as pixels from its left edge. */
function useDrag(onDrag: (from: number, to: number, done: boolean, width: number) => void) {
  const from = useRef<number | null>(null);
  const at = (event: PointerEvent): [number, number] => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return [event.clientX - box.left, box.width];
  };
  return {
    onPointerDown: (event: PointerEvent): void => {
      const [x, width] = at(event);
      from.current = x;
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      onDrag(x, x, false, width);
    },
    onPointerMove: (event: PointerEvent): void => {
      const [x, width] = at(event);
      if (from.current !== null) onDrag(from.current, x, false, width);
    },
    onPointerUp: (event: PointerEvent): void => {
      const [x, width] = at(event);
      if (from.current !== null) onDrag(from.current, x, true, width);
      from.current = null;
    },
  };
}

/** The edge of the window at a place of the map; null within the window, and far from it. */
function edgeAt(engine: Engine, x: number, width: number): "start" | "end" | null {
  const { view, end } = engine;
  const [left, right] = [view.value.start, endOf(view.value)].map((time) =>
    Math.min(Math.max((time / end) * width, 0), width),
  ) as [number, number];
  const inside = x > left && x < right;
  if (inside && right - left < 4 * EDGE) return null;
  if (Math.abs(x - left) <= EDGE) return "start";
  return Math.abs(x - right) <= EDGE ? "end" : null;
}

export function MapStrip({ engine, canvas }: Props) {
  /** What a drag keeps: the time between the pointer and the start of the window, or its other edge. */
  const grabbed = useRef<{ offset: number } | { edge: number }>({ offset: 0 });
  const drag = useDrag((from, to, done, width) => {
    const perPixel = engine.end / width;
    const view = engine.view.value;
    const span = endOf(view) - view.start;
    if (from === to && !done) {
      const edge = edgeAt(engine, from, width);
      const inside = from * perPixel >= view.start && from * perPixel <= endOf(view);
      if (edge) grabbed.current = { edge: edge === "start" ? endOf(view) : view.start };
      else grabbed.current = { offset: inside ? from * perPixel - view.start : span / 2 };
    }
    const { current } = grabbed;
    const time = to * perPixel;
    if ("offset" in current) engine.camera.show(time - current.offset, time - current.offset + span);
    else if (from !== to) engine.camera.show(Math.min(time, current.edge), Math.max(time, current.edge));
  });
  const move = (event: PointerEvent): void => {
    drag.onPointerMove(event);
    const map = event.currentTarget as HTMLElement;
    const box = map.getBoundingClientRect();
    if (event.buttons === 0)
      map.classList.toggle("tl-map-edge", edgeAt(engine, event.clientX - box.left, box.width) !== null);
  };
  return (
    <div class="tl-strip">
      <div class="tl-corner">Whole profile</div>
      <div
        class="tl-map"
        {...drag}
        onPointerMove={move}
        data-tip="Drag the window to move it, its edges to resize it"
      >
        <canvas ref={canvas} role="img" aria-label="How busy devices and hosts are over the whole profile" />
      </div>
    </div>
  );
}

export function RulerStrip({ engine, canvas }: Props) {
  const drag = useDrag((from, to, done) => {
    const view = engine.view.value;
    if (Math.abs(to - from) < CLICK) {
      if (done) engine.measured.value = null;
      return;
    }
    const [start, end] = [Math.min(from, to), Math.max(from, to)].map((x) => Math.round(timeAt(view, x))) as [
      number,
      number,
    ];
    engine.measured.value = done ? null : { start, end };
    if (done) engine.camera.show(start, end);
  });
  return (
    <div class="tl-strip">
      <div class="tl-corner" />
      <div class="tl-ruler" {...drag} data-tip="Drag over a range to zoom into it">
        <canvas ref={canvas} role="img" aria-label="Time since the start of the profile" />
      </div>
    </div>
  );
}
