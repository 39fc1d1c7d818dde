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

export function MapStrip({ engine, canvas }: Props) {
  const grabbed = useRef<number>(0);
  const drag = useDrag((from, to, done, width) => {
    const perPixel = engine.end / width;
    const view = engine.view.value;
    const span = endOf(view) - view.start;
    if (from === to && !done) {
      const inside = from * perPixel >= view.start && from * perPixel <= endOf(view);
      grabbed.current = inside ? from * perPixel - view.start : span / 2;
    }
    const start = to * perPixel - grabbed.current;
    engine.camera.show(start, start + span);
  });
  return (
    <div class="tl-strip">
      <div class="tl-corner">Whole profile</div>
      <div class="tl-map" {...drag} data-tip="Drag to move the window">
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
