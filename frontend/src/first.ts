/** Asks for what the first picture needs as soon as the script runs, which is before anything is drawn. */
import { askAhead, copyOf } from "./api";
import { bareQuery, dataQuery, firstQueries } from "./data_query";
import type { Session, Sessions } from "./result";
import { host, run, tool } from "./state";
import { loadView } from "./tools/registry";

/** Ends when all of it is there. Where something fails, those who ask for it later are told. */
export async function askFirst(): Promise<void> {
  const view = loadView(tool.value).catch(() => undefined);
  const listing = askAhead("sessions", {});
  const name = run.value || chosen((await copyOf<Sessions>(listing)).sessions)?.run;
  const asked = name && dataQuery(name, null);
  if (!asked) return;
  const data = askAhead("data", asked, { progress: true });
  const queries = firstQueries().map((query) => askAhead("query", bareQuery(name, host.value, query)));
  void askAhead("tools", { run: name });
  await Promise.allSettled([view, listing, data, ...queries]);
}

/** The session of the address, else the newest; null where the address names one that is not there. */
export function chosen(sessions: readonly Session[]): Session | null {
  if (run.value === "") return sessions[0] ?? null;
  return sessions.find((session) => session.run === run.value) ?? null;
}
