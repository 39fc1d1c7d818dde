/** The page: a header to say what is looked at, the tools on the left, and the view of one of them. */
import { useEffect } from "preact/hooks";
import { getJson } from "./api";
import { CaptureButton } from "./capture/CaptureButton";
import { CaptureDialog } from "./capture/CaptureDialog";
import { useNewSession } from "./capture/useNewSession";
import { chosen } from "./first";
import { Header } from "./header";
import { useLast, useResource } from "./resource";
import type { Session, Sessions, ToolInfo } from "./result";
import { offered, pinRun, run, titles } from "./state";
import { ToolList } from "./tool_list";
import { ToolView } from "./tool_view";
import { onReload } from "./reload";
import { versionOf } from "./session";
import { toast } from "./widgets/toast";
import { Empty, ErrorCard, Loading } from "./widgets/states";
import { Tip } from "./widgets/Tip";
import { Toasts } from "./widgets/Toasts";

export function App() {
  const { resource, retry } = useResource("sessions", (options) =>
    getJson<Sessions>("sessions", {}, options),
  );
  // Looking again for profiles leaves on the page what is there.
  const found = useLast(resource.state === "ready" ? resource.value : null, "");
  const session = found ? chosen(found.sessions) : null;
  const tools = useTools(session);
  const failure = resource.state === "failed" ? resource.error : null;

  useNewSession(found, retry);
  useEffect(() => onReload(retry), [retry]);
  useEffect(() => {
    if (!session) return;
    document.title = `${session.run} – Profile`;
    pinRun(session.run);
  }, [session]);
  useEffect(() => {
    if (failure && found) toast(failure.cause);
  }, [failure, found]);

  return (
    <div class="app">
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the view
      </a>
      <Header sessions={found?.sessions ?? []} session={session} tools={tools} onReload={retry} />
      <ToolList tools={tools} loading={session !== null && tools === null} />
      <main class="main" id="main" tabIndex={-1}>
        {!found && resource.state === "loading" && (
          <Loading what="Looking for profiles" progress={resource.progress} />
        )}
        {!found && failure && <ErrorCard error={failure} onRetry={retry} />}
        {found && !session && (
          <>
            <h1 class="hidden-visually">Profile</h1>
            <NoSession found={found} />
          </>
        )}
        {session && <ToolView session={session} tools={tools} />}
      </main>
      <CaptureDialog />
      <Toasts />
      <Tip />
    </div>
  );
}

/** The tools of a session; asks again until the server has found out which of them apply. */
function useTools(session: Session | null): ToolInfo[] | null {
  const run = session?.run ?? "";
  const key = session && `tools ${versionOf(session)}`;
  const { resource, retry } = useResource(key, (options) => getJson<ToolInfo[]>("tools", { run }, options));
  const tools = useLast(resource.state === "ready" ? resource.value : null, run);
  const undecided = resource.state === "ready" && resource.value.some((info) => info.available === null);
  useEffect(() => {
    if (undecided) retry();
  }, [undecided, retry]);
  useEffect(() => {
    if (!tools) return;
    titles.value = Object.fromEntries(tools.map((info) => [info.name, info.title]));
    offered.value = new Set(tools.filter((info) => info.available !== false).map((info) => info.name));
  }, [tools]);
  return tools;
}

function NoSession({ found }: { found: Sessions }) {
  if (found.sessions.length > 0) {
    return (
      <Empty title={`There is no profile “${run.value}” in this log directory`}>
        <p>It may have been moved or deleted. Choose another one above.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No profile yet" notes={found.notes} command={`profiler-plugin doctor ${found.logdir}`}>
      <p class="muted">
        Looked in <code>{found.logdir}</code>. Record a profile while your program trains: capture one from
        here, or in the program with <code>tf.profiler.experimental.start("{found.logdir}")</code> or{" "}
        <code>jax.profiler.trace("{found.logdir}")</code>, then reload. The command below says what was found
        there and why it was passed over.
      </p>
      <p>
        <CaptureButton primary />
      </p>
    </Empty>
  );
}

/** The fragment of the address holds the page's state, so the link cannot be an ordinary one. */
function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
