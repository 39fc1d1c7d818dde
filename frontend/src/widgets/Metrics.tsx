/** Metrics: a number or text with its name, its spread, and why it is unknown where it is. */
import type { Metric } from "../result";
import { exact, format, formatIn, scaleOf, withUnit, type Scale } from "../units";

/** Metrics under the headings of their groups, in the order in which these first appear; those without a group first. */
export function MetricGroups({
  metrics,
  titles = {},
}: {
  metrics: Metric[];
  titles?: Record<string, string>;
}) {
  const groups = [...new Set(metrics.map((metric) => metric.group))].filter(Boolean);
  const loose = metrics.filter((metric) => metric.group === "");
  return (
    <>
      {loose.length > 0 && <MetricTiles metrics={loose} />}
      {groups.length > 0 && (
        <div class="metric-groups">
          {groups.map((group) => (
            <MetricCard
              key={group}
              title={titles[group] ?? capitalised(group)}
              metrics={metrics.filter((metric) => metric.group === group)}
            />
          ))}
        </div>
      )}
    </>
  );
}

const MANY = 8;

function MetricCard({ title, metrics }: { title: string; metrics: Metric[] }) {
  return (
    <section class={metrics.length > MANY ? "card many" : "card"} aria-label={title}>
      <h2>{title}</h2>
      <MetricList metrics={metrics} />
    </section>
  );
}

/** A few metrics in a row. */
export function MetricTiles({ metrics }: { metrics: Metric[] }) {
  return (
    <dl class="card tiles" onKeyDown={walk}>
      {metrics.map((metric) => (
        <div key={metric.name}>
          <Term metric={metric} metrics={metrics} />
          <dd class="number">
            <MetricValue metric={metric} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** `comparable` metrics of one unit are all shown in the same scale. */
export function MetricList({ metrics, comparable = false }: { metrics: Metric[]; comparable?: boolean }) {
  return (
    <dl class="metrics" onKeyDown={walk}>
      {metrics.map((metric) => (
        <div key={metric.name}>
          <Term metric={metric} metrics={metrics} />
          <dd class="number">
            <MetricValue metric={metric} scale={comparable ? scaleAmong(metrics, metric) : undefined} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The name of a metric, with its definition. Tab comes to the first one of a list, arrow keys to the others. */
function Term({ metric, metrics }: { metric: Metric; metrics: Metric[] }) {
  const { description, label, name } = metric;
  if (!description) return <dt>{label || name}</dt>;
  const first = metrics.find((one) => one.description) === metric;
  return (
    <dt tabIndex={first ? 0 : -1} data-tip={description} aria-description={description}>
      {label || name}
    </dt>
  );
}

function walk(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  const terms = [...(event.currentTarget as Element).querySelectorAll<HTMLElement>("dt[tabindex]")];
  const place = terms.indexOf(event.target as HTMLElement);
  if (!step || place < 0) return;
  terms[place + step]?.focus();
  event.preventDefault();
  // A key that reaches the page takes the tip away.
  event.stopPropagation();
}

function scaleAmong(metrics: Metric[], { unit }: Metric): Scale {
  const values = metrics.filter((metric) => metric.unit === unit).map((metric) => metric.value);
  const most = Math.max(...values.map((value) => (typeof value === "number" ? Math.abs(value) : 0)));
  return scaleOf(most, unit);
}

export function MetricValue({ metric, scale }: { metric: Metric; scale?: Scale | undefined }) {
  const { value, unit, spread } = metric;
  if (value === null) {
    return (
      <span class="muted" tabIndex={0} data-tip={metric.reason || "The profile does not say."}>
        –
      </span>
    );
  }
  if (typeof value !== "number")
    return <span>{typeof value === "boolean" ? (value ? "yes" : "no") : value}</span>;
  const shown = scale ?? scaleOf(value, unit);
  const text = scale || spread !== null ? withUnit(formatIn(value, shown), shown) : format(value, unit);
  if (!spread) return <span data-tip={exact(value, unit)}>{text}</span>;
  return (
    <span data-tip={`${exact(value, unit)}\nStandard deviation ${exact(spread, unit)}`}>
      {formatIn(value, shown)} <span class="muted">± {withUnit(formatIn(spread, shown), shown)}</span>
    </span>
  );
}

function capitalised(text: string): string {
  return (text.charAt(0).toUpperCase() + text.slice(1)).replaceAll("_", " ");
}
