/** What a view's data is asked for with, and the queries about it. */
import type { Result, Session, ToolInfo } from "./result";
import { host, params, steps, tool } from "./state";

const TIMELINE = "trace_viewer";

type Query = [name: string, params: Record<string, string | number>];

/** The whole profile in one tile about as wide as a screen; with `later` without tracks that take a while to be found. */
export function tileQuery(later: boolean): Query {
  return ["window", { pixels: 1200, most: 400, ...(later ? { later: "true" } : {}) }];
}

/** A page of the names of events. */
export function namesQuery(offset: number, later: boolean): Query {
  return ["names", { offset, ...(later ? { later: "true" } : {}) }];
}

/** What a view asks first, whatever the profile is. */
export function firstQueries(): Query[] {
  return tool.value === TIMELINE ? [tileQuery(true), namesQuery(0, true)] : [];
}

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
  const { run, version } = session;
  return { run, tag, ...(host ? { host } : {}), ...(version ? { v: version } : {}), name, ...texts };
}

/** The same while neither the version of the session nor what the usual choice of host is called is known. */
export function bareQuery(run: string, host: string, [name, given]: Query): Record<string, string> {
  return namedQuery({ run, version: "" }, { tool: tool.value, host }, name, given);
}
