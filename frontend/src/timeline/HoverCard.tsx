/** Beside the pointer: what is under it. */
import { exact, format } from "../units";
import type { Engine } from "./engine";
import { formatSpan, formatTime } from "./ticks";
import { timeAt } from "./viewport";

const OFFSET = 14;
const WIDTH = 320;

export function HoverCard({ engine }: { engine: Engine }) {
  const hover = engine.hover.value;
  if (!hover) return null;
  const { hit, x, y, row } = hover;
  const left = Math.min(x + OFFSET, Math.max(engine.view.value.width - WIDTH, 0));
  const counts = row.track.kind === "counter";
  const name = counts ? row.track.name : engine.names.value[hit.name] || "(unnamed)";
  return (
    <div class="tl-hover" style={{ transform: `translate(${left}px, ${y + OFFSET}px)` }}>
      <strong>{name}</strong>
      {counts ? (
        <span class="number">
          {engine.counters
            .valuesAt(row.track.id, timeAt(engine.view.value, x))
            .map(({ name, value }) => `${name}: ${value === null ? "no number" : exact(value, "")}`)
            .join("\n")}
        </span>
      ) : hit.block && hit.block.count !== 1 ? (
        <span>
          {format(hit.block.count, "count")} events begin in {formatSpan(hit.end - hit.start)}, busy{" "}
          {format(hit.block.busy, "share")}; named after the one that covers most
        </span>
      ) : (
        <span class="number">
          {hit.block ? `shorter than ${formatSpan(hit.end - hit.start)}` : formatSpan(hit.end - hit.start)} at{" "}
          {formatTime(hit.start, engine.view.value.scale)}
        </span>
      )}
      <span class="muted">{counts ? row.section.name : row.track.name}</span>
    </div>
  );
}
