/** One tool of one session: fetches its result, loads its view, and shows what stands in its place meanwhile. */
import { useCallback, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { ApiError, askAhead, getBytes, getJson } from "./api";
import { Boundary } from "./boundary";
import { bareQuery, dataQuery, firstQueries, namedQuery } from "./data_query";
import { lookAgain } from "./reload";
import { useLast, useResource } from "./resource";
import type { Note, Result, Session, ToolInfo } from "./result";
import { versionOf } from "./session";
import { host, params, setParams, setSteps, steps, tool } from "./state";
import { loadView } from "./tools/registry";
import type { QueryFunction, QueryOptions, ViewModule } from "./tools/view";
import { QualityBadge } from "./widgets/Notes";
import { Options } from "./widgets/Options";
import { StepPicker } from "./widgets/StepPicker";
import { Empty, ErrorCard, Loading, ProgressBar } from "./widgets/states";

const NOTHING_IDLE = {};
/** HTTP status of a profile that is no longer the one that is shown. */
const CHANGED = 410;
/** Options that picked steps leave without effect. */
const WHILE_PICKED = { skip_ends: "No effect now: just the steps that you picked count." };

interface Props {
  session: Session;
  tools: ToolInfo[] | null;
}

export function ToolView({ session, tools }: Props) {
  const name = tool.value;
  const info = tools?.find((candidate) => candidate.name === name);
  const asked = dataQuery(session.run, tools);
  const key = asked && `${JSON.stringify(asked)} ${versionOf(session)}`;
  const [cancelled, setCancelled] = useState<string | null>(null);
  const { resource, retry } = useResource(key === cancelled ? null : key, async (options) => {
    const found = await getJson<Result>("data", asked ?? {}, options);
    const sent = firstQueries().map((query) =>
      askAhead("query", namedQuery(session, found, ...query), {
        sooner: bareQuery(session.run, asked?.["host"] ?? "", query),
      }),
    );
    await Promise.allSettled(sent); // drawing the view twice takes longer than once
    return found;
  });
  const { view, failure } = useView(name);
  const result = resource.state === "ready" ? resource.value : null;
  const last = useLast(result, `${session.run} ${name}`);
  const early = last || !key ? null : (view?.sooner?.(params.value) ?? null);
  const { resource: sooner } = useResource(early && `${key} ${early}`, (options) =>
    getJson<Result>("query", { ...asked, name: early ?? "" }, options),
  );
  const shown = last ?? (sooner.state === "ready" ? sooner.value : null);

  const again = (): void => {
    setCancelled(null);
    retry();
  };
  if (key !== null && key === cancelled) return <Cancelled onRetry={again} />;
  const heading = (
    <div class="view-head">
      <h1>{info?.title ?? "Profile"}</h1>
    </div>
  );
  if (failure)
    return (
      <>
        {heading}
        <ErrorCard error={failure} />
      </>
    );
  if (resource.state === "failed")
    return (
      <>
        {heading}
        <ErrorCard error={resource.error} onRetry={again} />
        {steps.value && (
          <p class="state">
            <button class="button" onClick={() => setSteps("")}>
              Count all steps
            </button>
          </p>
        )}
      </>
    );
  if (!shown || !view) {
    const progress = resource.state === "loading" ? resource.progress : null;
    return (
      <Loading
        what={`Opening ${info?.title ?? name}`}
        progress={progress}
        {...(key === null ? {} : { onCancel: () => setCancelled(key) })}
      />
    );
  }
  return (
    <Boundary key={`${session.run} ${name}`}>
      {resource.state === "loading" && <ProgressBar progress={resource.progress} top />}
      <Shown session={session} info={info} result={shown} view={view} stale={result === null} />
    </Boundary>
  );
}

interface ShownProps {
  session: Session;
  info: ToolInfo | undefined;
  result: Result;
  view: ViewModule;
  stale: boolean;
}

function Shown({ session, info, result, view, stale }: ShownProps) {
  const { default: View, layout = "page" } = view;
  const query = useQuery(session.run, session.version, result.tool, result.host);
  const empty =
    Object.keys(result.tables).length === 0 &&
    result.metrics.length === 0 &&
    result.charts.length === 0 &&
    layout === "page";
  const title = info?.title ?? tool.value;
  const [more, setMore] = useState<{ of: Result; notes: readonly Note[] } | null>(null);
  const addNotes = useCallback((notes: readonly Note[]) => setMore({ of: result, notes }), [result]);
  const known = new Set(result.notes.map(({ cause }) => cause));
  const learnt = more?.of === result ? more.notes.filter(({ cause }) => !known.has(cause)) : [];
  return (
    <>
      <div class="view-head">
        <h1>{title}</h1>
        <QualityBadge notes={[...session.notes, ...(empty ? [] : [...result.notes, ...learnt])]} />
        {layout === "page" && info && (
          <Options
            declared={info.params}
            values={params.value}
            onChange={setParams}
            idle={steps.value && info.follows_steps ? WHILE_PICKED : NOTHING_IDLE}
          />
        )}
        {info?.follows_steps && <StepPicker session={session} />}
        {info?.name === "trace_viewer" && <StepPicker session={session} show={showTimes} />}
        {layout === "page" && info?.description && <p>{info.description}</p>}
      </div>
      {empty ? (
        <Empty title={`${title} has nothing to show for this session`} notes={result.notes} />
      ) : (
        <div
          class={`${layout === "full" ? "view-full" : "view"} ${stale ? "view-stale" : ""}`}
          aria-busy={stale}
        >
          <View
            result={result}
            run={session.run}
            host={result.host || host.value}
            params={params.value}
            setParams={setParams}
            addNotes={addNotes}
            query={query}
          />
        </div>
      )}
    </>
  );
}

/** The trace viewer takes its window from the address. */
function showTimes(begin: number, end: number): void {
  setParams({ start_ps: String(begin), end_ps: String(end) }, { replace: true });
}

interface Loaded {
  name: string;
  view: ViewModule | null;
  failure: ApiError | null;
}

function useView(name: string): Omit<Loaded, "name"> {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  useLayoutEffect(() => {
    let wanted = true;
    const settle = (view: ViewModule | null, failure: ApiError | null): void => {
      if (wanted) setLoaded({ name, view, failure });
    };
    loadView(name).then(
      (view) => settle(view, null),
      () =>
        settle(
          null,
          new ApiError(
            "A file of the page could not be loaded.",
            "Reload the page: the server may have been updated.",
            0,
          ),
        ),
    );
    return () => {
      wanted = false;
    };
  }, [name]);
  return loaded?.name === name ? loaded : { view: null, failure: null };
}

function useQuery(run: string, version: string, tag: string, shownHost: string): QueryFunction {
  return useMemo(() => {
    const ask = async (
      name: string,
      given: Record<string, string | number>,
      options: QueryOptions & { binary?: boolean } = {},
    ) => {
      const query = namedQuery({ run, version }, { tool: tag, host: shownHost }, name, given);
      try {
        return await (options.binary ? getBytes("query", query, options) : getJson("query", query, options));
      } catch (error) {
        if (error instanceof ApiError && error.status === CHANGED) lookAgain();
        throw error;
      }
    };
    return ask as QueryFunction;
  }, [run, version, tag, shownHost]);
}

function Cancelled({ onRetry }: { onRetry: () => void }) {
  return (
    <Empty title="Cancelled">
      <p>
        <button class="button" onClick={onRetry}>
          Open it after all
        </button>
      </p>
    </Empty>
  );
}
