/** Names of sections and tracks, at the left edge. Only those on screen exist. */
import { useEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "../widgets/Icon";
import { counted, format } from "../units";
import type { Engine } from "./engine";
import type { Frame } from "./frame";
import { MoveHandle } from "./MoveHandle";
import { totalsOf } from "./overlay";
import type { Row, SectionRow, TrackRow } from "./layout";

/** Height of a track's name, which stays on screen as long as a part of its track does. */
const NAME = 22;

export function Headings({ engine }: { engine: Engine }) {
  const moved = useRef<HTMLDivElement>(null);
  const rows = engine.rows.value;
  useEffect(() => {
    const layer = (frame: Frame): void => {
      const list = moved.current;
      if (!list) return;
      list.style.transform = `translateY(${-frame.scrollTop}px)`;
      const top = frame.scrollTop + (sectionAbove(engine, frame.rows)?.height ?? 0);
      for (const [i, row] of frame.rows.slice(0, 3).entries()) {
        const shift = Math.min(Math.max(top - row.y, 0), Math.max(row.height - NAME * engine.unit.value, 0));
        (list.children[i] as HTMLElement | undefined)?.style.setProperty("--tl-shift", `${shift}px`);
      }
    };
    engine.layers.push(layer);
    return () => {
      engine.layers.splice(engine.layers.indexOf(layer), 1);
    };
  }, [engine]);
  const above = sectionAbove(engine, rows);
  return (
    <div class="tl-headings">
      <div ref={moved}>
        {rows.map((row) => (
          <Heading key={keyOf(row)} row={row} engine={engine} />
        ))}
      </div>
      {above && <SectionHeading row={above} engine={engine} stuck />}
    </div>
  );
}

function Heading({ row, engine }: { row: Row; engine: Engine }) {
  if (row.kind === "section") return <SectionHeading row={row} engine={engine} />;
  if (row.kind === "track") return <TrackHeading row={row} engine={engine} />;
  if (row.kind === "room")
    return (
      <div class="tl-heading tl-room" style={{ top: row.y, height: row.height }} role="status">
        {row.sought ? "Looking for steps…" : "No steps in this profile"}
      </div>
    );
  const { section, tracks, open } = row;
  return (
    <div class="tl-heading tl-idle" style={{ top: row.y, height: row.height }}>
      <button
        class="tl-fold"
        aria-expanded={open}
        onClick={() => engine.choose({ opened: toggled(engine.choices.value.opened, section.id) })}
        data-tip={`Tracks with less than 2 % of the time and of the events of the busiest one of ${section.name}`}
      >
        <Icon name="chevron" /> {counted(tracks.length, "idle track")}
      </button>
    </div>
  );
}

function SectionHeading({
  row,
  engine,
  stuck = false,
}: {
  row: SectionRow;
  engine: Engine;
  stuck?: boolean;
}) {
  const { section, open } = row;
  return (
    <div
      class={`tl-heading tl-section ${stuck ? "tl-stuck" : ""}`}
      style={{ top: stuck ? 0 : row.y, height: row.height }}
    >
      <button
        class="tl-fold"
        aria-expanded={open}
        aria-label={section.name}
        onClick={() => engine.choose({ closed: toggled(engine.choices.value.closed, section.id) })}
      >
        <Icon name="chevron" />{" "}
        <span class="tl-name tl-middle" dir="auto" data-tip={section.name}>
          <Ends name={section.name} />
        </span>
      </button>
      <span class="muted number" data-tip={totalsOf(section)}>
        {format(section.tracks.length, "count")}
      </span>
    </div>
  );
}

function TrackHeading({ row, engine }: { row: TrackRow; engine: Engine }) {
  const { track, pinned, section } = row;
  const { compact, hidden, pinned: pins } = engine.choices.value;
  const thin = compact.has(track.id);
  const about = `${section.name}\n${track.name}\n${format(track.events, "count")} events, busy ${format(track.busyShare, "share")} of the profile`;
  return (
    <div class="tl-heading tl-track" style={{ top: row.y, height: row.height }}>
      <span class="tl-name tl-middle" dir="auto" data-tip={about}>
        <Ends name={track.name} />
      </span>
      <span class="tl-actions">
        <MoveHandle engine={engine} row={row} />
        <Action
          label={pinned ? `Unpin ${track.name}` : `Pin ${track.name} to the top`}
          icon="pin"
          pressed={pinned}
          onClick={() =>
            engine.choose({ pinned: pinned ? pins.filter((id) => id !== track.id) : [...pins, track.id] })
          }
        />
        {track.lanes > 1 && (
          <Action
            label={thin ? `Show ${track.name} in full height` : `Flatten ${track.name}`}
            icon="flatten"
            pressed={thin}
            onClick={() => engine.choose({ compact: toggled(compact, track.id) })}
          />
        )}
        <Action
          label={`Hide ${track.name}`}
          icon="close"
          onClick={() => engine.choose({ hidden: toggled(hidden, track.id) })}
        />
      </span>
    </div>
  );
}

/** A name whose middle is cut where there is no room for it. */
function Ends({ name }: { name: string }) {
  const signs = [...name];
  return (
    <>
      <span>{signs.slice(0, -TAIL).join("")}</span>
      <span>{signs.slice(-TAIL).join("")}</span>
    </>
  );
}

interface ActionProps {
  label: string;
  icon: IconName;
  pressed?: boolean;
  onClick: () => void;
}

/** Letters at the end of a name that stay when it is cut: threads of a pool differ there. */
const TAIL = 6;

function Action({ label, icon, pressed, onClick }: ActionProps) {
  return (
    <button class="tl-action" aria-label={label} data-tip={label} aria-pressed={pressed} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

/** The section that the first row on screen belongs to, where its own heading is scrolled away. */
function sectionAbove(engine: Engine, rows: readonly Row[]): SectionRow | null {
  const [first] = rows;
  if (!first || first.kind === "section" || first.kind === "room" || (first.kind === "track" && first.pinned))
    return null;
  return engine.layout.value.headings.get(first.section) ?? null;
}

function toggled<T>(set: ReadonlySet<T>, value: T): Set<T> {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
}

function keyOf(row: Row): string {
  return row.kind === "track" ? `track ${row.track.id} ${row.pinned}` : `${row.kind} ${row.section.id}`;
}
