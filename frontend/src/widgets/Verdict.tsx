/** What limits the run, in one sentence, then each recommendation with its evidence and where to look next. */
import { column, type Result, type Table, type Value } from "../result";
import { Icon, type IconName } from "./Icon";
import { NoteList } from "./Notes";
import { Prose } from "./Prose";
import { titleOf, ToolLink } from "./ToolLink";

interface Recommendation {
  kind: string;
  severity: string;
  statement: string;
  advice: string;
  tool: string;
}

interface Look {
  icon: IconName;
  className: string;
}

const LOOKS: Record<string, Look> = {
  high: { icon: "error", className: "error" },
  moderate: { icon: "alert", className: "warning" },
  none: { icon: "check", className: "good" },
};
const UNKNOWN: Look = { icon: "info", className: "" };

/** Reads the metrics `verdict`, `verdict_level` and `next_step`, and the table `recommendations`. */
export function Verdict({ result }: { result: Result }) {
  const metric = (name: string) => result.metrics.find((found) => found.name === name);
  const headline = metric("verdict");
  const level = metric("verdict_level")?.value;
  const next = metric("next_step")?.value;
  const recommendations = readRecommendations(result.tables["recommendations"]);
  const problems = result.notes.filter((note) => note.severity === "error");
  const text = headline?.value === null ? headline.reason : String(headline?.value ?? "");
  const look = LOOKS[String(level ?? recommendations[0]?.severity)] ?? UNKNOWN;
  return (
    <section class="card verdict" aria-label="Verdict">
      <p class={`headline ${look.className}`}>
        <Icon name={look.icon} />
        <span>{text || "What limits this run is unknown."}</span>
      </p>
      {headline?.description && <p class="muted">{headline.description}</p>}
      {next && (
        <p>
          <Prose text={String(next)} />
        </p>
      )}
      {problems.length > 0 && <NoteList notes={problems} />}
      {recommendations.length > 0 && (
        <ol class="recommendations">
          {recommendations.map((item) => (
            <li key={`${item.kind} ${item.statement}`}>
              <Advice item={item} said={`${text} ${next ?? ""}`} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** `said` is what the headline says already. */
function Advice({ item, said }: { item: Recommendation; said: string }) {
  const look = LOOKS[item.severity] ?? UNKNOWN;
  const lines = [item.statement, item.advice].filter(
    (line) => line && !said.includes(line.replace(/\.$/, "")),
  );
  return (
    <div class={`note ${look.className}`}>
      <Icon name={look.icon} />
      <div>
        {lines.map((line) => (
          <p key={line}>
            <Prose text={line} />
          </p>
        ))}
        {item.tool && (
          <p>
            <ToolLink link={item.tool}>Look closer: {titleOf(item.tool)}</ToolLink>
          </p>
        )}
      </div>
    </div>
  );
}

function readRecommendations(table: Table | undefined): Recommendation[] {
  if (!table) return [];
  const text = (row: number, ...names: string[]): string => {
    const value = names
      .map((name) => column(table, name)?.values[row])
      .find((found: Value | undefined) => found != null);
    return value === undefined || value === null ? "" : String(value);
  };
  return Array.from({ length: table.rows }, (_, row) => ({
    kind: text(row, "kind"),
    severity: text(row, "severity", "level"),
    statement: text(row, "statement"),
    advice: text(row, "remedy", "evidence"),
    tool: text(row, "tool", "link"),
  }));
}
