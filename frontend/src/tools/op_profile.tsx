/** The op profile: a tree of where the time goes, and all that is known of the node that is chosen. */
import { useEffect, useState } from "preact/hooks";
import { opNamed } from "../links";
import { column, type Table } from "../result";
import { TreeTable } from "../table/TreeTable";
import { counted, exact, format } from "../units";
import { CopyButton } from "../widgets/CopyButton";
import { Icon } from "../widgets/Icon";
import { MetricGroups } from "../widgets/Metrics";
import { NamedLinks } from "../widgets/NamedLinks";
import type { ViewProps } from "./view";

const COLUMNS = [
  "time",
  "time_share",
  "wasted_share",
  "flops_utilization",
  "hbm_utilization",
  "occurrences",
  "avg_time",
] as const;
const GRADED = ["flops_utilization", "hbm_utilization"];
const GROUPS = { program: "Program", category: "Category", provenance: "Framework scopes" };
const ADVICE = "advice";
/** Of the details, what the tree itself shows, and what is shown apart. */
const ELSEWHERE = ["name", "parent", "depth", "kind", "children", "expression"];

export default function OpProfile({ result, params, setParams }: ViewProps) {
  const table = result.tables["tree"];
  const [selected, setSelected] = useState<number | null>(null);
  useEffect(() => setSelected(null), [table]);
  const advice = result.metrics.find(({ name, value }) => name === ADVICE && value !== null);
  const summary = result.metrics.filter(({ name }) => name !== ADVICE);
  const group = params["group_by"] ?? "program";
  return (
    <>
      {advice && (
        <p class="card advice">
          <strong>{advice.label}:</strong> {String(advice.value)}
        </p>
      )}
      {summary.length > 0 && <MetricGroups metrics={summary} />}
      {table && (
        <>
          <div class="view-controls">
            <div role="radiogroup" aria-label="Branch by" class="view-controls">
              {Object.entries(GROUPS).map(([value, label]) => (
                <label class="check" key={value}>
                  <input
                    type="radio"
                    name="group_by"
                    checked={group === value}
                    onChange={() => setParams({ group_by: value === "program" ? null : value })}
                  />
                  {label}
                </label>
              ))}
            </div>
            <label class="check" data-tip="Show the time without any op, and count it in shares">
              <input
                type="checkbox"
                checked={params["exclude_idle"] === "false"}
                onChange={(event) =>
                  setParams({ exclude_idle: event.currentTarget.checked ? "false" : null })
                }
              />
              Include idle time
            </label>
          </div>
          <TreeTable
            table={table}
            title="Op profile"
            columns={COLUMNS}
            graded={GRADED}
            selected={selected}
            onSelect={setSelected}
          />
          {selected !== null && selected < table.rows && (
            <Details table={table} row={selected} onClose={() => setSelected(null)} />
          )}
        </>
      )}
    </>
  );
}

function Details({ table, row, onClose }: { table: Table; row: number; onClose: () => void }) {
  const value = (name: string) => column(table, name)?.values[row] ?? null;
  useEffect(
    () => document.querySelector('.tree-row[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }),
    [row],
  );
  const name = String(value("name"));
  const expression = value("expression");
  const known = table.columns.filter((one) => !ELSEWHERE.includes(one.name) && one.values[row] !== null);
  const hidden =
    Number(value("children")) - (column(table, "parent")?.values ?? []).filter((at) => at === row).length;
  return (
    <section class="card op-details" aria-label={`Details of ${name}`}>
      <div class="op-details-head">
        <h2>{name}</h2>
        <button class="button plain icon small" aria-label="Close" data-tip="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {value("kind") === "op" && (
        <p class="view-controls">
          <NamedLinks
            named={opNamed(name, String(value("program") ?? ""), value("framework_op") ?? undefined)}
          />
        </p>
      )}
      <dl>
        {known.map((one) => (
          <div key={one.name}>
            <dt data-tip={one.description || undefined}>{one.label}</dt>
            <dd class="number" data-tip={exact(one.values[row] ?? null, one.unit)}>
              {format(one.values[row] ?? null, one.unit)}
            </dd>
          </div>
        ))}
      </dl>
      {value("kind") === "instruction" && (
        <p class="muted">It runs as part of the fusion above it, so it has no time of its own.</p>
      )}
      {hidden > 0 && <p class="muted">Not shown: {counted(hidden, "child", "children")} with less time.</p>}
      {typeof expression === "string" && (
        <>
          <pre>{expression}</pre>
          <CopyButton text={expression} label="Copy the HLO" />
        </>
      )}
    </section>
  );
}
