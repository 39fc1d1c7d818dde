/** Which steps count: a button that opens a slider with two thumbs. All tools follow the choice. */
import { useEffect, useRef, useState } from "preact/hooks";
import { getJson } from "../api";
import { useResource } from "../resource";
import type { Note, Session } from "../result";
import { versionOf } from "../session";
import { host, params, setSteps, steps } from "../state";
import { formatSteps, parseSteps, withoutEnds, type StepRange } from "../step_range";
import { format } from "../units";
import { Icon } from "./Icon";
import { NoteList } from "./Notes";
import { ProgressBar } from "./states";
import { usePopover } from "./usePopover";

/** What the route `steps` answers; times are of the shown host. */
interface Steps {
  names: string[];
  begin_ps: number[];
  end_ps: number[];
  notes: Note[];
}

interface Props {
  session: Session;
  /** Shows the time from the begin of the first picked step to the end of the last, for a view that is about time. */
  show?: (begin: number, end: number) => void;
}

export function StepPicker({ session, show }: Props) {
  const { open, setOpen, anchor } = usePopover();
  const wanted = open || (show !== undefined && steps.value !== "");
  const event = params.value["step_event"];
  const asked = { run: session.run, host: host.value, ...(event ? { step_event: event } : {}) };
  const { resource } = useResource(
    wanted ? `steps ${JSON.stringify(asked)} ${versionOf(session)}` : null,
    (options) => getJson<Steps>("steps", asked, options),
  );
  const found = resource.state === "ready" ? resource.value : null;
  useShown(found, show);
  return (
    <div class="anchor" ref={anchor}>
      <button class="button small" aria-expanded={open} onClick={() => setOpen(!open)}>
        {steps.value ? `Steps ${steps.value.replace("-", "–")}` : "All steps"}
        <Icon name="chevron" />
      </button>
      {open && (
        <div class="popover steps">
          {resource.state === "loading" && <ProgressBar progress={resource.progress} />}
          {resource.state === "failed" && <p>{resource.error.cause}</p>}
          {found && (found.names.length > 1 ? <Range found={found} /> : <NoRange found={found} />)}
        </div>
      )}
    </div>
  );
}

/** Shows picked steps whenever others are picked; not where the address says what to show, or the view has moved on. */
function useShown(found: Steps | null, show: Props["show"]): void {
  const picked = steps.value;
  const placed = params.value["start_ps"] !== undefined || params.value["event"] !== undefined;
  const shown = useRef(placed ? picked : "");
  useEffect(() => {
    if (!found?.names.length || !show || picked === shown.current) return;
    shown.current = picked;
    if (!picked) return;
    const [first, last] = parseSteps(picked, found.names.length);
    show(
      Math.min(...found.begin_ps.slice(first - 1, last)),
      Math.max(...found.end_ps.slice(first - 1, last)),
    );
  }, [found, picked, show]);
}

function Range({ found }: { found: Steps }) {
  const count = found.names.length;
  const picked = parseSteps(steps.value, count);
  const [dragged, setDragged] = useState<StepRange | null>(null);
  const [first, last] = dragged ?? picked;
  const inner = withoutEnds(count);
  const choose = (range: StepRange): void => {
    setDragged(null);
    setSteps(formatSteps(range, count));
  };
  const thumb = (label: string, value: number, range: (value: number) => StepRange) => (
    <input
      type="range"
      min={1}
      max={count}
      value={value}
      aria-label={label}
      aria-valuetext={`step ${value} of ${count}: ${found.names[value - 1]}`}
      onInput={(event) => setDragged(range(Number(event.currentTarget.value)))}
      onChange={(event) => choose(range(Number(event.currentTarget.value)))}
    />
  );
  const share = (value: number): string => `${(100 * (value - 1)) / (count - 1)}%`;
  return (
    <>
      <p class="steps-chosen">
        <strong>{text(first, last, found.names)}</strong>
        <span class="muted">
          {last - first + 1} of {format(count, "count")} steps
        </span>
      </p>
      <div class="two-thumbs" style={{ "--from": share(first), "--to": share(last) }}>
        {thumb("First step", first, (value) => [Math.min(value, last), last])}
        {thumb("Last step", last, (value) => [first, Math.max(value, first)])}
      </div>
      <div class="steps-buttons">
        <label>
          <input
            type="checkbox"
            disabled={count < 3}
            checked={count > 2 && first === inner[0] && last === inner[1]}
            onChange={(event) => choose(event.currentTarget.checked ? inner : [1, count])}
          />{" "}
          Skip first and last
        </label>
        <button class="button small" disabled={!steps.value} onClick={() => choose([1, count])}>
          <Icon name="reset" /> All
        </button>
      </div>
    </>
  );
}

function NoRange({ found }: { found: Steps }) {
  if (found.names.length === 1)
    return <p>The session has one step, {found.names[0]}: there is none to leave out.</p>;
  return <NoteList notes={found.notes} />;
}

function text(first: number, last: number, names: string[]): string {
  const [from, to] = [names[first - 1] ?? "", names[last - 1] ?? ""];
  return first === last ? from : `${from} – ${to}`;
}
