/** Below the tracks: what the events of the selected area add up to. */
import { useMemo } from "preact/hooks";
import type { Table } from "../result";
import { DataTable } from "../table/DataTable";
import { counted } from "../units";
import { PaneHead } from "./PaneHead";
import type { Area } from "./state";
import { formatSpan, formatTime } from "./ticks";

const HIDDEN = ["name_id"];
const NAMES = ["name"];

export function AreaPane({
  area,
  sums,
  run,
  onClose,
}: {
  area: Area;
  sums: Table | null;
  run: string;
  onClose: () => void;
}) {
  const shown = useMemo(
    () => sums && { ...sums, columns: sums.columns.filter((each) => !HIDDEN.includes(each.name)) },
    [sums],
  );
  const title = `${formatSpan(area.end - area.start)} on ${counted(area.tracks.length, "track")}`;
  return (
    <section class="tl-pane" tabIndex={-1} aria-label="Selected area">
      <PaneHead
        title={title}
        note={`from ${formatTime(area.start, (area.end - area.start) / 100)}`}
        onClose={onClose}
      />
      {shown ? (
        <DataTable
          table={shown}
          name={`${run}_timeline_area`}
          title="By name"
          bars={["total_ps"]}
          totals={["count", "total_ps", "self_ps"]}
          names={NAMES}
        />
      ) : (
        <p class="muted">{area.tracks.length ? "Adding up" : "No track is inside."}</p>
      )}
    </section>
  );
}
