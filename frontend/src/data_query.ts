/** What a view's data is asked for with, and the queries about it. */
import type { Result, Session, ToolInfo } from "./result";
import { host, params, steps, tool } from "./state";

const TIMELINE = "trace_viewer";

/** Parameters of the `data` request; null while it is not yet known which of the address's parameters are the tool's. */
export function dataQuery(run: string, tools: readonly ToolInfo[] | null): Record<string, string> | null {
  const asked = { run, tag: tool.value, ...(host.value ? { host: host.value } : {}) };
  // Its view takes the parameters of the address.
  if (tool.value === TIMELINE) return { ...asked, later: "true" };
  const given = Object.entries(params.value);
  if ((given.length > 0 || steps.value) && tools === null) return null;
  const info = tools?.find((candidate) => candidate.name === tool.value);
  const declared = new Set(info?.params.map((param) => param.name));
  return {
    ...asked,
    ...(steps.value && info?.follows_steps ? stepsAsked() : {}),
    ...Object.fromEntries(given.filter(([name]) => declared.has(name))),
  };
}

/** The steps that count, and what a step is where the user said so. */
function stepsAsked(): Record<string, string> {
  const event = params.value["step_event"];
  return { steps: steps.value, ...(event ? { step_event: event } : {}) };
}

/**
 * Parameters of a `query` request about what `result` shows. With the version of the session, the browser may keep the
 * answer for as long as the files stay the same.
 */
export function namedQuery(
  session: Pick<Session, "run" | "version">,
  { tool: tag, host }: Pick<Result, "tool" | "host">,
  name: string,
  given: Record<string, string | number>,
): Record<string, string> {
  const texts = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]));
  return { run: session.run, tag, ...(host ? { host } : {}), v: session.version, name, ...texts };
}
