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
  const response = await get(path, query, options);
  try {
    return (await response.json()) as T;
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError(
      `The answer of ${path} is no valid JSON.`,
      "Look at the log of the server.",
      response.status,
    );
  }
}

export async function getBytes(
  path: string,
  query: Record<string, string>,
  options: QueryOptions = {},
): Promise<ArrayBuffer> {
  return (await get(path, query, options)).arrayBuffer();
}

/** Sends `body` as JSON; the answer is JSON too. Rejects with `ApiError`. */
export async function postJson<T>(path: string, body: unknown, headers: Record<string, string>): Promise<T> {
  const response = await fetchOnce(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw await readError(response, path);
  return (await response.json()) as T;
}

export function addressOf(path: string, query: Record<string, string>): string {
  const search = new URLSearchParams(query).toString();
  return search ? `${path}?${search}` : path;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Answers that nobody has asked for yet, by their addresses. */
const ahead = new Map<string, Promise<Response>>();
const AHEAD_MS = 10_000;

/** Sends what will be asked for, within a few seconds, unless it was sent as `sooner`. */
export function askAhead(
  path: string,
  query: Record<string, string>,
  sooner: Record<string, string> = query,
): Promise<Response> {
  const address = waiting(path, query);
  const answer = take(waiting(path, sooner)) ?? fetchWhole(address);
  answer.catch(() => undefined); // who asks for it is told
  ahead.set(address, answer);
  setTimeout(() => ahead.delete(address), AHEAD_MS);
  return answer;
}

/** The answer once its body is there too. */
async function fetchWhole(address: string): Promise<Response> {
  const response = await fetch(address);
  return new Response(await response.arrayBuffer(), response);
}

/** The JSON of an answer that somebody else will read. */
export async function copyOf<T>(answer: Promise<Response>): Promise<T> {
  return (await (await answer).clone().json()) as T;
}

function take(address: string): Promise<Response> | undefined {
  const sent = ahead.get(address);
  ahead.delete(address);
  return sent;
}

function waiting(path: string, query: Record<string, string>): string {
  return addressOf(path, { ...query, wait: String(WAIT) });
}

async function get(path: string, query: Record<string, string>, options: QueryOptions): Promise<Response> {
  const address = waiting(path, query);
  for (;;) {
    const asked = performance.now();
    const response = await fetchOnce(address, options.signal ? { signal: options.signal } : {});
    if (response.status === 202) {
      options.onProgress?.(readProgress(await response.json()));
      // A server that does not hold the request must not be asked in a tight loop.
      await pause(PACE_MS - (performance.now() - asked));
      continue;
    }
    if (!response.ok) throw await readError(response, address);
    return response;
  }
}

async function fetchOnce(address: string, init: RequestInit): Promise<Response> {
  try {
    return await (take(address) ?? fetch(address, init));
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

async function readError(response: Response, address: string): Promise<ApiError> {
  const fallback = `The server answered ${response.status} ${response.statusText}.`;
  try {
    const { error } = (await response.json()) as { error?: { cause?: string; remedy?: string } };
    return new ApiError(error?.cause ?? fallback, error?.remedy ?? "", response.status, address);
  } catch {
    return new ApiError(fallback, "Look at the log of the server.", response.status, address);
  }
}

function pause(milliseconds: number): Promise<void> {
  return milliseconds > 0 ? new Promise((resolve) => setTimeout(resolve, milliseconds)) : Promise.resolve();
}
