/** Something that is fetched: loading with progress, ready, or failed; cancelled when no longer wanted. */
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { asApiError, isAbort, type ApiError } from "./api";
import type { Progress, QueryOptions } from "./tools/view";

export type Resource<T> =
  | { state: "loading"; progress: Progress | null }
  | { state: "ready"; value: T }
  | { state: "failed"; error: ApiError };

const KEPT = 12;
const kept = new Map<string, unknown>();

/**
 * Loads what `key` names, and again whenever it changes or `retry` is called. A null key loads nothing.
 * The last few answers are kept, so that going back is immediate.
 */
export function useResource<T>(
  key: string | null,
  load: (options: QueryOptions) => Promise<T>,
): { resource: Resource<T>; retry: () => void } {
  const [attempt, setAttempt] = useState(0);
  const [settled, setSettled] = useState<{ key: string; resource: Resource<T> } | null>(null);
  const latest = useRef(load);
  latest.current = load;

  // An effect of the layout, because others wait until the page has been painted.
  useLayoutEffect(() => {
    if (key === null || kept.has(key)) return;
    const controller = new AbortController();
    const settle = (resource: Resource<T>): void => {
      if (!controller.signal.aborted) setSettled({ key, resource });
    };
    settle({ state: "loading", progress: null });
    latest
      .current({
        signal: controller.signal,
        onProgress: (progress) => settle({ state: "loading", progress }),
      })
      .then((value) => {
        keep(key, value);
        settle({ state: "ready", value });
      })
      .catch((error: unknown) => {
        if (!isAbort(error)) settle({ state: "failed", error: asApiError(error) });
      });
    return () => controller.abort();
  }, [key, attempt]);

  const retry = useCallback((): void => {
    if (key !== null) kept.delete(key);
    setAttempt((count) => count + 1);
  }, [key]);
  if (key !== null && kept.has(key))
    return { resource: { state: "ready", value: kept.get(key) as T }, retry };
  if (settled && settled.key === key) return { resource: settled.resource, retry };
  return { resource: { state: "loading", progress: null }, retry };
}

function keep(key: string, value: unknown): void {
  kept.delete(key);
  kept.set(key, value);
  const oldest = kept.keys().next();
  if (kept.size > KEPT && !oldest.done) kept.delete(oldest.value);
}

/** The last value that was not null, so that something stays up while its successor is made. */
export function useLast<T>(value: T | null, scope: string): T | null {
  const last = useRef<{ scope: string; value: T } | null>(null);
  if (value !== null) last.current = { scope, value };
  return last.current?.scope === scope ? last.current.value : null;
}
