/** Below the tracks: all about the selected event. */
import { column, type Metric, type Result, type Table, type Value } from "../result";
import { namedThings } from "../links";
import { exact, format } from "../units";
import { NamedLinks } from "../widgets/NamedLinks";
import type { Actions } from "./actions";
import type { Engine } from "./engine";
import { eventsOf } from "./events";
import { PaneHead } from "./PaneHead";
import type { Selected } from "./state";
import { Sums } from "./Sums";
import { formatSpan, formatTime } from "./ticks";

const FACTS = ["start", "duration", "self", "step", "track", "section", "source"];

interface EventProps {
  selected: Selected;
  details: Result | null;
  engine: Engine;
  actions: Actions;
  run: string;
}

export function EventPane({ selected, details, engine, actions, run }: EventProps) {
  const name = selected.name || "(unnamed)";
  const nameId = details?.metrics.find((metric) => metric.name === "name_id")?.value;
  const known = actions.namesakes.value;
  const sums = known?.nameId === nameId ? known?.sums : null;
  return (
    <section class="tl-pane" tabIndex={-1} aria-label={`Event ${name}`}>
      <PaneHead title={name} onClose={() => actions.clear()}>
        {details && (
          <button
            class="button small"
            aria-pressed={!!sums}
            data-tip="Add up all events of this name"
            onClick={() => (sums ? (actions.namesakes.value = null) : void actions.addUp(Number(nameId)))}
          >
            All of this name
          </button>
        )}
      </PaneHead>
      {sums && (
        <Sums
          table={sums}
          engine={engine}
          name={`${run}_timeline_events`}
          title="All events of this name, by track"
        />
      )}
      {details ? (
        <div class={`tl-event ${actions.busy.value ? "view-stale" : ""}`}>
          <Facts details={details} />
          <Stats table={details.tables["stats"]} />
          <Elsewhere details={details} />
          <Links details={details} engine={engine} onChoose={(event) => actions.choose(event)} />
        </div>
      ) : (
        <p class="muted">Reading the event</p>
      )}
    </section>
  );
}

function Facts({ details }: { details: Result }) {
  const facts = FACTS.flatMap((name) => details.metrics.find((metric) => metric.name === name) ?? []).filter(
    (metric) => metric.value !== "",
  );
  return (
    <dl class="tl-facts">
      {facts.map((metric) => (
        <div key={metric.name}>
          <dt data-tip={metric.description || undefined}>{metric.label}</dt>
          <dd class="number" data-tip={metric.unit ? exact(metric.value, metric.unit) : undefined}>
            {factText(metric)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function factText(metric: Metric): string {
  if (metric.value === null) return `– ${metric.reason}`;
  if (metric.name === "start") return formatTime(Number(metric.value), 1000);
  return metric.unit === "ps" ? formatSpan(Number(metric.value)) : format(metric.value, metric.unit);
}

function Stats({ table }: { table: Table | undefined }) {
  const [keys, values, units] = ["key", "value", "unit"].map((name) => column(table, name)?.values ?? []) as [
    Value[],
    Value[],
    Value[],
  ];
  return (
    <div class="tl-stats">
      <h3>Stats</h3>
      {keys.length === 0 && <p class="muted">The event carries no stats.</p>}
      <dl class="tl-facts">
        {keys.map((key, row) => (
          <div key={String(key)}>
            <dt>{key}</dt>
            <dd class="number">{statText(values[row] ?? null, String(units[row]))}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function statText(value: Value, unit: string): string {
  return typeof value === "number" && (unit === "ps" || unit === "bytes")
    ? format(value, unit)
    : exact(value, "");
}

/** The op, instruction or kernel that the event ran, in the other tools. */
function Elsewhere({ details }: { details: Result }) {
  const named = namedThings(details.tables["names"]);
  if (named.length === 0) return null;
  return (
    <div class="tl-links">
      <h3>In other tools</h3>
      <dl class="tl-facts">
        {named.map((thing) => (
          <div key={`${thing.role} ${thing.name}`}>
            <dt>{ROLES[thing.role]}</dt>
            <dd>
              <div>{thing.name}</div>
              <NamedLinks named={thing} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const ROLES: Partial<Record<string, string>> = {
  program: "Program",
  hlo_op: "HLO op",
  framework_op: "Framework op",
  host_op: "Input op",
  kernel: "Kernel",
};

const LINKS: Record<string, string> = {
  parent: "Inside of",
  "flow in": "Caused by",
  "flow out": "Causes",
  "first nested": "First nested",
  previous: "Previous on the lane",
  next: "Next on the lane",
  "previous of this name": "Previous of this name",
  "next of this name": "Next of this name",
};
const FLOWS_SHOWN = 12;

function Links({
  details,
  engine,
  onChoose,
}: {
  details: Result;
  engine: Engine;
  onChoose: (event: Selected) => void;
}) {
  const groups: [string, Selected[]][] = [
    ["parent", eventsOf(details.tables["parents"])],
    ...Object.keys(LINKS)
      .filter((kind) => kind !== "parent")
      .map((kind): [string, Selected[]] => [
        kind,
        eventsOf(details.tables["links"], { wanted: (own) => own === kind }),
      ]),
  ];
  return (
    <div class="tl-links">
      <h3>Around it</h3>
      <dl class="tl-facts">
        {groups
          .filter(([, events]) => events.length > 0)
          .map(([kind, events]) => (
            <div key={kind}>
              <dt>{LINKS[kind]}</dt>
              <dd>
                {events.slice(0, FLOWS_SHOWN).map((event) => (
                  <button
                    key={event.id}
                    class="tl-link"
                    onClick={() => onChoose(event)}
                    data-tip={`${engine.trackOf(event.track)?.name ?? ""}\n${formatSpan(event.end - event.start)} at ${formatTime(event.start, 1000)}`}
                  >
                    {event.name || "(unnamed)"}
                  </button>
                ))}
                {events.length > FLOWS_SHOWN && (
                  <span class="muted">and {events.length - FLOWS_SHOWN} more</span>
                )}
              </dd>
            </div>
          ))}
      </dl>
    </div>
  );
}
