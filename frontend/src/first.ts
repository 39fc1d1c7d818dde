/** Asks for what the first picture needs as soon as the script runs, which is before anything is drawn. */
import { askAhead, copyOf } from "./api";
import { dataQuery } from "./data_query";
import type { Session, Sessions } from "./result";
import { run, tool } from "./state";
import { loadView } from "./tools/registry";

/** Where something fails, those who ask for it later are told. */
export async function askFirst(): Promise<void> {
  loadView(tool.value).catch(() => undefined);
  const listing = askAhead("sessions", {});
  const name = run.value || chosen((await copyOf<Sessions>(listing)).sessions)?.run;
  const asked = name && dataQuery(name, null);
  if (asked) await askAhead("data", asked);
}

/** The session of the address, else the newest; null where the address names one that is not there. */
export function chosen(sessions: readonly Session[]): Session | null {
  if (run.value === "") return sessions[0] ?? null;
  return sessions.find((session) => session.run === run.value) ?? null;
}
