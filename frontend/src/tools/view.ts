/**
 * What every tool view receives. A view is one file, `tools/<tool>.tsx`, whose default export is a component with these
 * props; it is discovered and loaded when first shown. A tool without a file is drawn by `_generic.tsx`.
 *
 * `layout = "full"` as a second export gives the view the whole area below the header, without padding or scrolling.
 */
import type { ComponentType } from "preact";
import type { Note, Result } from "../result";

export interface QueryOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export interface Progress {
  stage: string;
  /** 0 to 1, or null where it is not known. */
  fraction: number | null;
}

/** Asks a tool's named query (`query` route) about the shown run and host; rejects with `ApiError`. */
export interface QueryFunction {
  <T = Result>(
    name: string,
    params: Record<string, string | number>,
    options?: QueryOptions & { binary?: false },
  ): Promise<T>;
  (
    name: string,
    params: Record<string, string | number>,
    options: QueryOptions & { binary: true },
  ): Promise<ArrayBuffer>;
}

/** Parameters of the address. Those that the tool declares are sent to the server; the others belong to the view. */
export type Params = Readonly<Record<string, string>>;

export interface ViewProps {
  result: Result;
  run: string;
  /** The host shown, `ALL_HOSTS` where several are combined. */
  host: string;
  params: Params;
  /** Writes parameters to the address; null removes one. `replace` adds no step to the browser's history. */
  setParams: (changes: Record<string, string | null>, options?: { replace?: boolean }) => void;
  /** Remarks on the data that the view has learnt of since, beside those of the result. */
  addNotes: (notes: readonly Note[]) => void;
  query: QueryFunction;
}

export type View = ComponentType<ViewProps>;

export interface ViewModule {
  default: View;
  layout?: "page" | "full";
  /**
   * Name of a query that answers much of what the result tells, sooner, with the same parameters: shown until the result
   * comes. Null where it would show something else.
   */
  sooner?: (params: Params) => string | null;
}
