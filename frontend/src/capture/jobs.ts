/** Captures are jobs of the server. This follows them, so that a reload or another page finds what goes on. */
import { computed, signal } from "@preact/signals";
import { asApiError, getJson, postJson, type ApiError } from "../api";

export interface HostState {
  address: string;
  state: "connecting" | "waiting" | "recording" | "fetching" | "written" | "failed";
  path: string;
  bytes: number;
  events: number;
  attempts: number;
  error: string;
  remedy: string;
  /** What to know about the file, e.g. why it holds no events. */
  note: string;
  /** How long it has been in this state. */
  seconds: number;
}

export interface Job {
  id: string;
  state: "running" | "cancelling" | "written" | "cancelled" | "failed";
  /** The session, once a host has written its profile. */
  run: string;
  seconds: number;
  target: string;
  duration_ms: number;
  attempts: number;
  hosts: HostState[];
  /** Of the whole capture; those of hosts are theirs. */
  error: { cause: string; remedy: string } | null;
}

/** A server that keeps its last milliseconds; how many is not known where somebody else has asked for it. */
export interface Kept {
  address: string;
  keep_ms: number | null;
  seconds: number;
}

interface Access {
  state: "open" | "token" | "off";
  cause: string;
  remedy: string;
}

const POLL_MS = 400;

/** Newest first. */
export const jobs = signal<Job[]>([]);
export const kept = signal<Kept[]>([]);
export const access = signal<Access>({ state: "open", cause: "", remedy: "" });
/** Why the server could not be asked the last time. */
export const lost = signal<ApiError | null>(null);
/** Needed where this page is not on the machine of the server. Never stored. */
export const captureToken = signal("");
export const running = computed(() => jobs.value.filter(goesOn));
/** The newest job that ended while this page was looking, until `dismiss`. */
export const ended = signal<Job | null>(null);

const FORGOTTEN: Pick<Job, "state" | "hosts" | "error"> = {
  state: "failed",
  hosts: [],
  error: {
    cause: "The server knows nothing of this capture any more.",
    remedy: "It was started anew: capture again.",
  },
};

let timer = 0;

export function goesOn(job: Job): boolean {
  return job.state === "running" || job.state === "cancelling";
}

/** Whether every host has given a profile with something in it: nothing is left to be read about it. */
export function flawless(job: Job): boolean {
  return job.hosts.every((host) => host.state === "written" && host.note === "");
}

/** Asks now, and again for as long as something goes on. */
export async function follow(): Promise<void> {
  clearTimeout(timer);
  try {
    const found = await getJson<{ captures: Job[]; kept: Kept[]; access: Access }>("captures", {});
    lost.value = null;
    kept.value = found.kept;
    access.value = found.access;
    take(found.captures);
  } catch (error) {
    lost.value = asApiError(error);
  }
  clearTimeout(timer);
  if (running.value.length > 0) timer = window.setTimeout(() => void follow(), POLL_MS);
}

function take(found: Job[]): void {
  const were = running.value;
  jobs.value = found;
  for (const job of were) {
    const now = found.find((other) => other.id === job.id) ?? { ...job, ...FORGOTTEN };
    if (!goesOn(now)) ended.value = now;
  }
}

export async function begin(body: Record<string, string | number>): Promise<void> {
  ended.value = null;
  const job = await post<Job>("capture", body);
  jobs.value = [job, ...jobs.value];
  void follow();
}

export async function cancel(job: Job): Promise<void> {
  await post<Job>(`captures/${job.id}/cancel`, {});
  void follow();
}

export async function keep(action: "start" | "stop", body: Record<string, string | number>): Promise<void> {
  try {
    await post(`continuous/${action}`, body);
  } finally {
    await follow();
  }
}

/** Resolves to the new session. */
export async function snapshot(body: Record<string, string | number>): Promise<string> {
  return (await post<{ run: string }>("continuous/snapshot", body)).run;
}

async function post<T>(path: string, body: Record<string, string | number>): Promise<T> {
  try {
    return await postJson<T>(path, body, { "X-Profiler-Capture": captureToken.value || "page" });
  } catch (error) {
    const refused = asApiError(error);
    if (refused.status === 403) {
      access.value = { state: "token", cause: refused.cause, remedy: refused.remedy };
    }
    throw refused;
  }
}
