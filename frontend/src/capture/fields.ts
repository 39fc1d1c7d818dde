/** The fields of the dialog: their defaults, and what is wrong with them before anything is sent. */

export interface Fields {
  by: "addresses" | "tpu";
  addresses: string;
  tpu: string;
  tpu_zone: string;
  gcp_project: string;
  workers: string;
  duration_ms: string;
  delay_ms: string;
  retries: string;
  host_tracer_level: string;
  device_tracer_level: string;
  python_tracer_level: string;
  session: string;
  server_token: string;
  /** "true", or nothing. */
  tls: string;
}

export type Problems = Partial<Record<keyof Fields, string>>;

export const DEFAULTS: Fields = {
  by: "addresses",
  addresses: "localhost:6009",
  tpu: "",
  tpu_zone: "",
  gcp_project: "",
  workers: "",
  duration_ms: "1000",
  delay_ms: "0",
  retries: "2",
  host_tracer_level: "2",
  device_tracer_level: "1",
  python_tracer_level: "0",
  session: "",
  server_token: "",
  tls: "",
};

const ADDRESS = /^(?:grpc:\/\/)?(?:\[[0-9A-Fa-f:.%\w]+\]|[^\s:/[\],]+):(\d{1,5})\/?$/;
const DAY_MS = 24 * 3600 * 1000;

export function check(fields: Fields): Problems {
  const problems: Problems = {};
  const put = (name: keyof Fields, problem: string): void => {
    if (problem) problems[name] = problem;
  };
  if (fields.by === "tpu") {
    put("tpu", fields.tpu.trim() === "" ? "Name the TPU." : "");
    put("workers", fields.workers.trim() === "" ? "" : addressProblem(fields.workers));
  } else {
    put("addresses", addressProblem(fields.addresses));
  }
  put("duration_ms", numberProblem(fields.duration_ms, 1, DAY_MS));
  put("delay_ms", numberProblem(fields.delay_ms, 0, 15 * 60 * 1000));
  put("retries", numberProblem(fields.retries, 0, 10));
  put("session", nameProblem(fields.session));
  return problems;
}

/** What is wrong with addresses, or nothing. */
export function addressProblem(text: string): string {
  const addresses = text
    .split(",")
    .map((address) => address.trim())
    .filter(Boolean);
  if (addresses.length === 0) return "Give the address of a profiler server, such as localhost:6009.";
  const wrong = addresses.find((address) => {
    const port = Number(ADDRESS.exec(address)?.[1] ?? 0);
    return port < 1 || port > 65535;
  });
  return wrong === undefined ? "" : `“${shortened(wrong)}” is no address: write host:port.`;
}

export function numberProblem(text: string, least: number, most: number): string {
  const value = Number(text);
  const fine = /^\s*\d+\s*$/.test(text) && value >= least && value <= most;
  return fine ? "" : `Choose a whole number from ${least} to ${most.toLocaleString("en-US")}.`;
}

export function nameProblem(name: string): string {
  // eslint-disable-next-line no-control-regex -- those are what is looked for
  if (/[/\\\u0000-\u001f]/.test(name)) return "Leave out slashes and control characters.";
  if (name.startsWith(".")) return "Begin with a letter or a digit: what begins with a dot is hidden.";
  return new TextEncoder().encode(name).length > 200 ? "Use 200 characters at most." : "";
}

/** What is sent to the server: only what the choice between addresses and a TPU leaves over. */
export function bodyOf(fields: Fields): Record<string, string | number> {
  const { by, addresses, tpu, tpu_zone, gcp_project, workers, session, server_token, tls } = fields;
  const target = by === "tpu" ? { tpu, tpu_zone, gcp_project, workers } : { addresses };
  const texts = { ...target, session, server_token, tls };
  const given = Object.entries(texts).map(([name, text]) => [name, text.trim()] as const);
  return {
    ...Object.fromEntries(given.filter(([, text]) => text !== "")),
    duration_ms: Number(fields.duration_ms),
    delay_ms: Number(fields.delay_ms),
    retries: Number(fields.retries),
    host_tracer_level: Number(fields.host_tracer_level),
    device_tracer_level: Number(fields.device_tracer_level),
    python_tracer_level: Number(fields.python_tracer_level),
  };
}

const STORED = "profiler-plugin.capture";

/** What was asked for the last time in this browser. */
export function remembered(): Fields {
  try {
    const stored = JSON.parse(localStorage.getItem(STORED) ?? "{}") as Partial<Record<keyof Fields, unknown>>;
    const known = Object.entries(stored).filter(
      ([name, value]) => name in DEFAULTS && typeof value === "string",
    );
    return { ...DEFAULTS, ...Object.fromEntries(known) };
  } catch {
    return DEFAULTS;
  }
}

/** Names of sessions are for once, and secrets are not stored. */
export function remember(fields: Fields): void {
  try {
    localStorage.setItem(STORED, JSON.stringify({ ...fields, session: "", server_token: "" }));
  } catch {
    // Storage is switched off: the defaults will do.
  }
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
