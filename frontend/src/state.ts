/** The page's state: signals that mirror the address, so that back, reload and sending a link just work. */
import { computed, signal } from "@preact/signals";
import { embedded, home } from "./embed";
import { formatHash, parseHash, type Values } from "./url";

export const ALL_HOSTS = "ALL_HOSTS";
export const FIRST_TOOL = "overview_page";

const RESERVED = new Set(["run", "tag", "host", "steps"]);

const address = signal<Values>(readAddress());

/** Session named in the address; empty for the newest one. */
export const run = computed(() => address.value["run"] ?? "");
export const tool = computed(() => address.value["tag"] ?? FIRST_TOOL);
/** Host named in the address; empty for the usual choice of the tool: all hosts where it combines them, else the first. */
export const host = computed(() => address.value["host"] ?? "");
/** Steps that count, such as `3-17`; empty for all. They stay with the session, whatever tool is shown. */
export const steps = computed(() => address.value["steps"] ?? "");
export const params = computed<Values>(() =>
  Object.fromEntries(Object.entries(address.value).filter(([key]) => !RESERVED.has(key))),
);

/** Titles of the tools by their names, as far as they are known. */
export const titles = signal<Readonly<Record<string, string>>>({});

/** Names of the tools that have something to say about the session, or may have. */
export const offered = signal<ReadonlySet<string>>(new Set());

export interface Place {
  run?: string;
  tool?: string;
  host?: string;
  steps?: string;
  params?: Values;
}

/** Values of the address at `place`. Another tool or session starts with its own parameters. */
export function valuesAt(place: Place): Values {
  const sameView = place.tool === undefined && place.run === undefined;
  const values: Record<string, string> = {};
  const put = (key: string, value: string): void => {
    if (value !== "") values[key] = value;
  };
  put("run", place.run ?? run.value);
  put("tag", place.tool ?? tool.value);
  put("host", place.host ?? (place.run === undefined ? host.value : ""));
  put("steps", place.steps ?? (place.run === undefined ? steps.value : ""));
  if (!sameView && place.run === undefined && values["steps"])
    put("step_event", params.value["step_event"] ?? "");
  return { ...values, ...(place.params ?? (sameView ? params.value : {})) };
}

export function go(place: Place, replace = false): void {
  write(valuesAt(place), replace);
}

/** Address of `place`, to be shown as a link or sent to somebody. */
export function hrefOf(place: Place): string {
  const { href, hash } = home.window.location;
  return withoutHash(href) + formatHash(valuesAt(place), home.plugin, hash);
}

export function setParams(changes: Record<string, string | null>, options: { replace?: boolean } = {}): void {
  const merged = Object.entries({ ...params.value, ...changes });
  const next = Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
  write(valuesAt({ params: next }), options.replace ?? false);
}

export function setSteps(range: string): void {
  go({ steps: range });
}

/** Follows back, forward and edits of the address until the page is gone. */
export function followAddress(): void {
  const update = (): void => {
    if (inFront()) address.value = readAddress();
  };
  home.window.addEventListener("popstate", update);
  home.window.addEventListener("hashchange", update);
}

function readAddress(): Values {
  return home.window.location ? parseHash(home.window.location.hash, home.plugin) : {};
}

/** Names in the address the session that was chosen for want of one, so that a newer one does not take its place. */
export function pinRun(name: string): void {
  if (run.value !== "") return;
  go({ run: name, tool: tool.value, host: host.value, steps: steps.value, params: params.value }, true);
}

function write(values: Values, replace: boolean): void {
  if (!inFront()) {
    address.value = values;
    return;
  }
  const hash = formatHash(values, home.plugin, home.window.location.hash);
  if (hash === home.window.location.hash) return;
  const { history, location } = home.window;
  const target = withoutHash(location.href) + hash;
  if (replace) history.replaceState(history.state, "", target);
  else history.pushState(history.state, "", target);
  address.value = values;
}

/** While another tab of TensorBoard is in front, the address is about that tab. */
function inFront(): boolean {
  return !embedded || home.window.location.hash.replace(/^#/, "").split("&")[0] === home.plugin;
}

function withoutHash(href: string): string {
  return href.replace(/#.*/, "");
}
