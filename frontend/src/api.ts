/** Requests to the server. All addresses are relative, so path prefixes, proxies and port forwards just work. */
import type { Progress, QueryOptions } from "./tools/view";

export class ApiError extends Error {
  constructor(
    override readonly cause: string,
    readonly remedy: string,
    /** HTTP status, 0 where no answer came. */
    readonly status: number,
    /** What was asked for. */
    readonly address = "",
  ) {
    super(cause);
  }
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(String(error), "Reload the page.", 0);
}

/** Seconds the server holds a request before it answers with the progress so far. */
const WAIT = 0.5;
const PACE_MS = 200;

/** JSON of `path`. Asks again while the server answers with progress. Rejects with `ApiError`, or as aborted. */
export async function getJson<T>(
  path: string,
  query: Record<string, string>,
  options: QueryOptions = {},
): Promise<T> {
  const answer = await get(path, query, options);
  try {
    return jsonOf<T>(answer);
  } catch {
    throw new ApiError(
      `The answer of ${path} is no valid JSON.`,
      "Look at the log of the server.",
      answer.status,
    );
  }
}

export async function getBytes(
  path: string,
  query: Record<string, string>,
  options: QueryOptions = {},
): Promise<ArrayBuffer> {
  return (await get(path, query, options)).body;
}

/** Sends `body` as JSON; the answer is JSON too. Rejects with `ApiError`. */
export async function postJson<T>(path: string, body: unknown, headers: Record<string, string>): Promise<T> {
  const answer = await fetchOnce(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw readError(answer, path);
  return jsonOf<T>(answer);
}

export function addressOf(path: string, query: Record<string, string>): string {
  const search = new URLSearchParams(query).toString();
  return search ? `${path}?${search}` : path;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** An answer whose body is there: what is known when a view is made is in its first frame. */
interface Answer {
  ok: boolean;
  status: number;
  statusText: string;
  body: ArrayBuffer;
}

async function send(address: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(address, init);
  const { ok, status, statusText } = response;
  return { ok, status, statusText, body: await response.arrayBuffer() };
}

function jsonOf<T>(answer: Answer): T {
  return JSON.parse(new TextDecoder().decode(answer.body)) as T;
}

/** Answers that nobody has asked for yet, by their addresses. */
const ahead = new Map<string, Promise<Answer>>();
const AHEAD_MS = 10_000;

/**
 * Sends what will be asked for, within a few seconds, unless it was sent as `sooner`. Where nobody is told of progress,
 * it asks again by itself until the answer is there.
 */
export function askAhead(
  path: string,
  query: Record<string, string>,
  { sooner = query, progress = false } = {},
): Promise<Answer> {
  const address = waiting(path, query);
  const sent = take(waiting(path, sooner)) ?? send(address);
  const answer = progress ? sent : finished(sent, () => send(address), performance.now() + AHEAD_MS);
  answer.catch(() => undefined); // who asks for it is told
  ahead.set(address, answer);
  setTimeout(() => ahead.delete(address), AHEAD_MS);
  return answer;
}

/** The JSON of an answer that somebody else will read. */
export async function copyOf<T>(answer: Promise<Answer>): Promise<T> {
  return jsonOf<T>(await answer);
}

function take(address: string): Promise<Answer> | undefined {
  const sent = ahead.get(address);
  ahead.delete(address);
  return sent;
}

function waiting(path: string, query: Record<string, string>): string {
  return addressOf(path, { ...query, wait: String(WAIT) });
}

async function get(path: string, query: Record<string, string>, options: QueryOptions): Promise<Answer> {
  const address = waiting(path, query);
  const again = (): Promise<Answer> => fetchOnce(address, options.signal ? { signal: options.signal } : {});
  const answer = await finished(again(), again, Infinity, options.onProgress);
  if (!answer.ok) throw readError(answer, address);
  return answer;
}

/** The answer to `sent`, asked for again while it is progress, but not after `end`. */
async function finished(
  sent: Promise<Answer>,
  again: () => Promise<Answer>,
  end: number,
  onProgress?: (progress: Progress) => void,
): Promise<Answer> {
  for (let asked = 0; ; asked = performance.now(), sent = again()) {
    const answer = await sent;
    if (answer.status !== 202 || performance.now() > end) return answer;
    onProgress?.(readProgress(jsonOf(answer)));
    // A server that does not hold the request must not be asked in a tight loop.
    await pause(PACE_MS - (performance.now() - asked));
  }
}

async function fetchOnce(address: string, init: RequestInit): Promise<Answer> {
  try {
    return await (take(address) ?? send(address, init));
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError(
      "The server does not answer.",
      "Check that TensorBoard, or “profiler-plugin serve”, is still running, then try again.",
      0,
      address,
    );
  }
}

function readProgress(body: { progress?: Partial<Progress> }): Progress {
  return { stage: body.progress?.stage ?? "working", fraction: body.progress?.fraction ?? null };
}

function readError(answer: Answer, address: string): ApiError {
  const { status, statusText } = answer;
  const fallback = `The server answered ${status} ${statusText}.`;
  try {
    const { error } = jsonOf<{ error?: { cause?: string; remedy?: string } }>(answer);
    return new ApiError(error?.cause ?? fallback, error?.remedy ?? "", status, address);
  } catch {
    return new ApiError(fallback, "Look at the log of the server.", status, address);
  }
}

function pause(milliseconds: number): Promise<void> {
  return milliseconds > 0 ? new Promise((resolve) => setTimeout(resolve, milliseconds)) : Promise.resolve();
}
