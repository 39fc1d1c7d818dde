/** Below the tracks: what the events of the selected area add up to. */
import { counted } from "../units";
import type { Actions } from "./actions";
import type { Engine } from "./engine";
import { PaneHead } from "./PaneHead";
import type { Area } from "./state";
import { Sums } from "./Sums";
import { formatSpan, formatTime } from "./ticks";

interface Props {
  area: Area;
  engine: Engine;
  actions: Actions;
  run: string;
}

export function AreaPane({ area, engine, actions, run }: Props) {
  const sums = actions.sums.value;
  const { byTrack } = actions;
  const title = `${formatSpan(area.end - area.start)} on ${counted(area.tracks.length, "track")}`;
  return (
    <section class="tl-pane" tabIndex={-1} aria-label="Selected area">
      <PaneHead
        title={title}
        note={`from ${formatTime(area.start, (area.end - area.start) / 100)}`}
        onClose={() => (engine.area.value = null)}
      >
        <button
          class="button small"
          aria-pressed={byTrack.value}
          data-tip="Add up the events of each track for themselves"
          onClick={() => (byTrack.value = !byTrack.value)}
        >
          By track
        </button>
      </PaneHead>
      {sums ? (
        <Sums
          table={sums}
          engine={engine}
          name={`${run}_timeline_area`}
          title={byTrack.value ? "By name and track" : "By name"}
        />
      ) : (
        <p class="muted">{area.tracks.length ? "Adding up" : "No track is inside."}</p>
      )}
    </section>
  );
}
