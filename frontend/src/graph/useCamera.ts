/** Moving around in a drawing: drag to move, Ctrl and the wheel to zoom; a click that moved nothing is a choice. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";
import { opening, zoomed, type Camera, type Size } from "./camera";
import type { Drawing } from "./useArranged";

/** Pixels that a hand may tremble. */
const STILL = 4;
const WHEEL = 0.0022;

export interface Moving {
  screen: RefObject<SVGSVGElement>;
  camera: Camera;
  size: Size;
  setCamera: (camera: Camera) => void;
  onPointerDown: (event: PointerEvent) => void;
  /** Whether the pointer has moved the drawing since it went down. */
  moved: () => boolean;
}

export function useCamera({ arranged, graph }: Drawing): Moving {
  const screen = useRef<SVGSVGElement>(null);
  const size = useSize(screen);
  const [camera, setCamera] = useState<Camera>({ x: 0, y: 0, scale: 1 });
  const opened = useRef<unknown>(null);
  const hasMoved = useRef(false);

  useLayoutEffect(() => {
    if (opened.current === arranged || size.width === 0) return;
    opened.current = arranged;
    setCamera(opening(arranged, arranged.boxes[graph.nodes[0]?.name ?? ""], size));
  }, [arranged, graph, size]);

  useEffect(() => {
    const element = screen.current;
    const onWheel = (event: WheelEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || !element) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const at = { x: event.clientX - left, y: event.clientY - top };
      setCamera((now) => zoomed(now, Math.exp(-event.deltaY * WHEEL), at));
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, []);

  const onPointerDown = (down: PointerEvent): void => {
    hasMoved.current = false;
    if (down.button !== 0) return;
    const start = camera;
    const move = (event: PointerEvent): void => {
      const [x, y] = [event.clientX - down.clientX, event.clientY - down.clientY];
      hasMoved.current ||= Math.hypot(x, y) > STILL;
      if (hasMoved.current) setCamera({ ...start, x: start.x + x, y: start.y + y });
    };
    const up = (): void => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", up);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", up);
  };
  return { screen, camera, size, setCamera, onPointerDown, moved: () => hasMoved.current };
}

function useSize(element: RefObject<Element>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
