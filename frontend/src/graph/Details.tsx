/** All that is known of the chosen instruction, and the way from it to others and to other tools. */
import type { ComponentChildren } from "preact";
import { column, type Metric, type Result } from "../result";
import { useResource } from "../resource";
import type { QueryFunction } from "../tools/view";
import { exact, format } from "../units";
import { CopyButton } from "../widgets/CopyButton";
import { NamedLinks } from "../widgets/NamedLinks";

interface Props {
  run: string;
  host: string;
  module: string;
  name: string;
  isCentre: boolean;
  query: QueryFunction;
  /** Goes to an instruction, or to a computation. */
  onGo: (name: string) => void;
  onCentre: (name: string) => void;
}

const FACTS = [
  "category",
  "shape",
  "layout",
  "op",
  "source",
  "self_time",
  "total_time",
  "occurrences",
  "flops",
  "bytes",
  "computation",
];
/** Names in one list. */
const LISTED = 12;

export function Details({ run, host, module, name, isCentre, query, onGo, onCentre }: Props) {
  const { resource } = useResource([run, host, module, name].join("\n"), (options) =>
    query<Result>("instruction", { module, node: name }, options),
  );
  return (
    <section class="card graph-details" aria-label={`Instruction ${name}`}>
      <h2>{name}</h2>
      <div class="view-controls">
        {!isCentre && (
          <button class="button small" onClick={() => onCentre(name)}>
            Put it in the middle
          </button>
        )}
        <NamedLinks named={{ role: "hlo_op", name, module }} />
      </div>
      {resource.state === "failed" && <p class="muted">{resource.error.cause}</p>}
      {resource.state === "ready" && <Facts result={resource.value} onGo={onGo} />}
    </section>
  );
}

function Facts({ result, onGo }: { result: Result; onGo: (name: string) => void }) {
  const metric = (name: string): Metric | undefined => result.metrics.find((each) => each.name === name);
  const text = (name: string): string => String(metric(name)?.value ?? "");
  const names = (table: string) => (column(result.tables[table], "name")?.values ?? []).map(String);
  return (
    <>
      <dl>
        {FACTS.flatMap((name) => metric(name) ?? [])
          .filter(({ value, reason }) => value !== "" && (value !== null || reason !== ""))
          .map(({ name, label, description, value, unit, reason }) => (
            <Fact key={name} label={label} tip={description}>
              {name === "computation" ? (
                <Names names={[String(value)]} onGo={onGo} />
              ) : (
                <span data-tip={value === null ? reason : exact(value, unit)}>{format(value, unit)}</span>
              )}
            </Fact>
          ))}
        {(["operands", "users"] as const).map((table) => (
          <Fact
            key={table}
            label={`${result.tables[table]?.label ?? ""} (${names(table).length})`}
            tip={TIPS[table]}
          >
            <Names names={names(table)} onGo={onGo} />
          </Fact>
        ))}
        {(["calls", "callers"] as const).map((name) =>
          text(name) === "" ? null : (
            <Fact key={name} label={metric(name)?.label ?? ""} tip={TIPS[name]}>
              <Names names={text(name).split(", ")} onGo={onGo} />
            </Fact>
          ),
        )}
      </dl>
      <pre>{text("expression")}</pre>
      <div class="view-controls">
        <CopyButton text={text("expression")} label="Copy the HLO" />
      </div>
      {text("stack") !== "" && (
        <details>
          <summary>Calls that led to it</summary>
          <pre>{text("stack")}</pre>
        </details>
      )}
    </>
  );
}

const TIPS = {
  operands: "Instructions whose results it takes",
  users: "Instructions that take its result",
  calls: "Computations that it runs",
  callers: "Instructions that run the computation which holds it",
};

function Fact({ label, tip, children }: { label: string; tip: string; children: ComponentChildren }) {
  return (
    <div style={{ display: "contents" }}>
      <dt data-tip={tip || undefined}>{label}</dt>
      <dd class="number">{children}</dd>
    </div>
  );
}

function Names({ names, onGo }: { names: string[]; onGo: (name: string) => void }) {
  if (names.length === 0) return <>none</>;
  return (
    <>
      {names.slice(0, LISTED).map((name) => (
        <button key={name} class="graph-link" onClick={() => onGo(name)}>
          {name}
        </button>
      ))}
      {names.length > LISTED && <span class="muted">and {names.length - LISTED} more</span>}
    </>
  );
}
