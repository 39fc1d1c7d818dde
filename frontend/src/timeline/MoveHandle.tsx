/** The handle of a track: dragged, or moved with the arrow keys, it takes the track along. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../widgets/Icon";
import type { Engine } from "./engine";
import type { TrackRow } from "./layout";
import { moved, neighbours, placeAt } from "./reorder";

export function MoveHandle({ engine, row }: { engine: Engine; row: TrackRow }) {
  const button = useRef<HTMLButtonElement>(null);
  const justMoved = useRef(false);
  const { track } = row;
  // The browser takes the focus away from an element whose place in the page changes.
  useLayoutEffect(() => {
    if (justMoved.current) button.current?.focus({ preventScroll: true });
    justMoved.current = false;
  }, [row.y]);
  const current = (): TrackRow =>
    engine.layout
      .peek()
      .rows.find(
        (each): each is TrackRow =>
          each.kind === "track" && each.track.id === track.id && each.pinned === row.pinned,
      ) ?? row;
  const move = (place: number): void => {
    const change = moved(engine.choices.peek(), engine.layout.peek(), current(), place);
    if (!change) return;
    justMoved.current = true;
    engine.choose(change);
    const all = neighbours(engine.layout.peek(), current());
    engine.said.value = `${track.name} is now track ${all.indexOf(current()) + 1} of ${all.length}`;
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    move(neighbours(engine.layout.peek(), current()).indexOf(current()) + step);
  };
  const drag = (event: PointerEvent): void => {
    const list = (event.currentTarget as HTMLElement).closest(".tl-headings");
    if (!list || event.button !== 0) return;
    const top = list.getBoundingClientRect().top;
    const follow = (next: PointerEvent): void => {
      const y = next.clientY - top + (engine.scroller?.scrollTop ?? 0);
      move(placeAt(engine.layout.peek(), current(), y));
    };
    const stop = (): void => {
      window.removeEventListener("pointermove", follow);
      window.removeEventListener("pointerup", stop);
      window.removeEventListener("pointercancel", stop);
    };
    window.addEventListener("pointermove", follow);
    window.addEventListener("pointerup", stop);
    window.addEventListener("pointercancel", stop);
  };
  const label = `Move ${track.name}: drag, or arrow keys`;
  return (
    <button
      ref={button}
      class="tl-action tl-handle"
      aria-label={label}
      data-tip={label}
      onKeyDown={onKey}
      onPointerDown={drag}
    >
      <Icon name="grip" />
    </button>
  );
}
