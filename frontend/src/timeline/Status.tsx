/** What the view holds, in one line; and what is selected, for those who do not see it. */
import { counted, format } from "../units";
import { ApiError } from "../api";
import type { Actions } from "./actions";
import type { Engine } from "./engine";
import { formatSpan, formatTime } from "./ticks";

export function Status({ engine, actions }: { engine: Engine; actions: Actions }) {
  const view = engine.view.value;
  const failure = actions.failure.value ?? engine.failure.value;
  const summary = engine.summary.value;
  const span = view.width * view.scale;
  const measured = engine.measured.value;
  const flows = engine.flows.wanted.value ? engine.flows.shown.value : null;
  return (
    <div class="tl-status number">
      {failure ? (
        <span class="tl-failure" role="alert">
          {failure instanceof ApiError
            ? `${failure.cause} ${failure.remedy}`
            : failure instanceof Error
              ? failure.message
              : String(failure)}
        </span>
      ) : (
        <span>
          {summary && `${counted(summary.events, "event")} in view`}
          {summary && summary.aggregated > 0 && (
            <span data-tip="Events shorter than a pixel: each pixel is as opaque as the share of its time they cover">
              , {format(summary.aggregated, "count")} aggregated
            </span>
          )}
        </span>
      )}
      {flows && (
        <span
          data-tip={
            flows.total > flows.listed.length
              ? "Those with the longest wait between cause and effect"
              : undefined
          }
        >
          {flows.total > flows.listed.length
            ? `${format(flows.listed.length, "count")} of ${format(flows.total, "count")} flows drawn`
            : `${counted(flows.total, "flow")} drawn`}
        </span>
      )}
      {measured && (
        <span class="tl-measured">
          Interval of {formatSpan(measured.end - measured.start)} from{" "}
          {formatTime(measured.start, view.scale)}
        </span>
      )}
      {engine.loading.value && <span class="muted">loading</span>}
      <span class="spacer" />
      <span class="muted">
        {view.width > 0 && `${formatSpan(span)} from ${formatTime(Math.max(view.start, 0), span / 1000)}`}
      </span>
    </div>
  );
}

/** Letters of a name: those of kernels would be read for minutes. */
const MOST_SPOKEN = 80;

/** Says what is selected to a screen reader. */
export function Announcer({ engine }: { engine: Engine }) {
  const event = engine.selected.value;
  const track = event && engine.trackOf(event.track);
  return (
    <div class="hidden-visually" aria-live="polite">
      {event &&
        `${event.name.slice(0, MOST_SPOKEN) || "Unnamed event"}, ${formatSpan(event.end - event.start)} at ${formatTime(event.start, 1000)}, on ${track?.name ?? "an unknown track"}. `}
      {engine.said.value}
    </div>
  );
}
