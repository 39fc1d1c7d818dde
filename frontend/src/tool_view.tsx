/** One tool of one session: fetches its result, loads its view, and shows what stands in its place meanwhile. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError, getBytes, getJson } from "./api";
import { Boundary } from "./boundary";
import { useLast, useResource } from "./resource";
import type { Result, Session, ToolInfo } from "./result";
import { versionOf } from "./session";
import { host, params, setParams, setSteps, steps, tool } from "./state";
import { loadView } from "./tools/registry";
import type { QueryFunction, QueryOptions, ViewModule } from "./tools/view";
import { QualityBadge } from "./widgets/Notes";
import { Options } from "./widgets/Options";
import { StepPicker } from "./widgets/StepPicker";
import { Empty, ErrorCard, Loading, ProgressBar } from "./widgets/states";

const NOTHING_IDLE = {};
/** Options that picked steps leave without effect. */
const WHILE_PICKED = { skip_ends: "No effect now: just the steps that you picked count." };

interface Props {
  session: Session;
  tools: ToolInfo[] | null;
}

export function ToolView({ session, tools }: Props) {
  const name = tool.value;
  const info = tools?.find((candidate) => candidate.name === name);
  const asked = useServerQuery(session, info, tools);
  const key = asked && `${JSON.stringify(asked)} ${versionOf(session)}`;
  const [cancelled, setCancelled] = useState<string | null>(null);
  const { resource, retry } = useResource(key === cancelled ? null : key, (options) =>
    getJson<Result>("data", asked ?? {}, options),
  );
  const { view, failure } = useView(name);
  const result = resource.state === "ready" ? resource.value : null;
  const shown = useLast(result, `${session.run} ${name}`);

  const again = (): void => {
    setCancelled(null);
    retry();
  };
  if (key !== null && key === cancelled) return <Cancelled onRetry={again} />;
  if (failure) return <ErrorCard error={failure} />;
  if (resource.state === "failed")
    return (
      <>
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
  const query = useQuery(session.run, result.tool || tool.value, result.host, session.version);
  const empty =
    Object.keys(result.tables).length === 0 &&
    result.metrics.length === 0 &&
    result.charts.length === 0 &&
    layout === "page";
  const title = info?.title ?? tool.value;
  return (
    <>
      <div class="view-head">
        <h1>{title}</h1>
        <QualityBadge notes={[...session.notes, ...(empty ? [] : result.notes)]} />
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

/** Parameters of the `data` request; null while it is not yet known which of the address's parameters are the tool's. */
function useServerQuery(
  session: Session,
  info: ToolInfo | undefined,
  tools: ToolInfo[] | null,
): Record<string, string> | null {
  const given = Object.entries(params.value);
  if ((given.length > 0 || steps.value) && tools === null) return null;
  const declared = new Set(info?.params.map((param) => param.name));
  return {
    run: session.run,
    tag: tool.value,
    ...(host.value ? { host: host.value } : {}),
    ...(tool.value === "trace_viewer" ? { later: "true" } : {}),
    ...(steps.value && info?.follows_steps ? stepsAsked() : {}),
    ...Object.fromEntries(given.filter(([name]) => declared.has(name))),
  };
}

/** The steps that count, and what a step is where the user said so. */
function stepsAsked(): Record<string, string> {
  const event = params.value["step_event"];
  return { steps: steps.value, ...(event ? { step_event: event } : {}) };
}

interface Loaded {
  name: string;
  view: ViewModule | null;
  failure: ApiError | null;
}

function useView(name: string): Omit<Loaded, "name"> {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  useEffect(() => {
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

/** With the version of the session, the browser may keep answers for as long as the files stay the same. */
function useQuery(run: string, tag: string, shownHost: string, version: string): QueryFunction {
  return useMemo(() => {
    const ask = (
      name: string,
      given: Record<string, string | number>,
      options: QueryOptions & { binary?: boolean } = {},
    ) => {
      const texts = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]));
      const fixed = { ...(shownHost ? { host: shownHost } : {}), v: version };
      const query = { run, tag, ...fixed, name, ...texts };
      return options.binary ? getBytes("query", query, options) : getJson("query", query, options);
    };
    return ask as QueryFunction;
  }, [run, tag, shownHost, version]);
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
