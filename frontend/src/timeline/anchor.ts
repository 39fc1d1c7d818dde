/** Holding what is looked at in its place while tracks are added. */
import type { Engine } from "./engine";
import type { TrackRow } from "./layout";

/**
 * Changes the tracks. What is selected stays where it is on screen, else what is pointed at, else the first track, but for
 * a drawing that is at its top: there is nothing above to be scrolled away from.
 */
export function anchored(engine: Engine, change: () => void): void {
  const before = anchorOf(engine);
  change();
  const after = engine.layout.value.rows.find(
    (row) => row.kind === "track" && row.track.id === before?.track.id && row.pinned === before.pinned,
  );
  if (before && after && engine.scroller) engine.scroller.scrollTop += after.y - before.y;
}

function anchorOf({ rows, selected, pointer, scroller }: Engine): TrackRow | undefined {
  const top = scroller?.scrollTop ?? 0;
  const tracks = rows.value.filter((row) => row.kind === "track");
  return (
    tracks.find(({ track }) => track.id === selected.value?.track) ??
    tracks.find(({ y, height }) => pointer && y <= top + pointer.y && top + pointer.y < y + height) ??
    (top > 0 ? tracks[0] : undefined)
  );
}
