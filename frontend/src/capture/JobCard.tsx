/** One capture: what each host is at, what it gave, or why it gave nothing and what to do. */
import { useState } from "preact/hooks";
import { asApiError, type ApiError } from "../api";
import { format } from "../units";
import { Icon } from "../widgets/Icon";
import { Prose } from "../widgets/Prose";
import { cancel, goesOn, lost, type HostState, type Job } from "./jobs";

const STATES: Record<HostState["state"], string> = {
  connecting: "Connecting",
  waiting: "Waiting for the common start",
  recording: "Recording",
  fetching: "Fetching the profile",
  written: "Written",
  failed: "Failed",
};
const RANK: Record<HostState["state"], number> = {
  failed: 0,
  connecting: 1,
  waiting: 1,
  recording: 1,
  fetching: 1,
  written: 2,
};

export function JobCard({ job }: { job: Job }) {
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const problem = refusal ?? lost.value ?? job.error;
  const hosts = goesOn(job) ? job.hosts : [...job.hosts].sort((a, b) => RANK[a.state] - RANK[b.state]);
  return (
    <section class="capture-job" aria-label={`Capture of ${job.target}`}>
      <div class="capture-job-head">
        <h3 aria-live="polite">{headline(job)}</h3>
        {goesOn(job) && (
          <button
            class="button small"
            disabled={job.state === "cancelling"}
            onClick={() => void cancel(job).catch((error: unknown) => setRefusal(asApiError(error)))}
          >
            {job.state === "cancelling" ? "Cancelling…" : "Cancel capture"}
          </button>
        )}
      </div>
      {problem && <Trouble cause={problem.cause} remedy={problem.remedy} />}
      {job.hosts.length === 0 && goesOn(job) && <p class="muted">Finding the workers of {job.target}…</p>}
      <ul class="capture-hosts">
        {hosts.map((host) => (
          <Host key={host.address} host={host} job={job} />
        ))}
      </ul>
    </section>
  );
}

function Host({ host, job }: { host: HostState; job: Job }) {
  const tries = host.attempts > 1 || (host.state === "failed" && goesOn(job));
  const icon = host.state === "written" ? "check" : host.state === "failed" ? "error" : null;
  return (
    <li class={`capture-host ${host.state}`}>
      <div class="capture-host-head">
        <span class="capture-host-icon">{icon ? <Icon name={icon} /> : <span class="capture-dot" />}</span>
        <strong>{host.address}</strong>
        <span class="number">
          {STATES[host.state]}
          {host.state === "recording" && progressText(host, job)}
          {tries && ` (attempt ${host.attempts} of ${job.attempts})`}
          {host.state === "written" &&
            `: ${format(host.events, "count")} events, ${format(host.bytes, "bytes")}`}
        </span>
      </div>
      {host.state === "recording" && (
        <div class="progress" aria-hidden="true">
          <div style={{ width: `${Math.min(100, (host.seconds * 100_000) / job.duration_ms)}%` }} />
        </div>
      )}
      {host.path && <code class="capture-path">{host.path}</code>}
      {host.note && <p class="muted">{host.note}</p>}
      {host.error && (
        <div>
          <p>{host.error}</p>
          <p class="muted">
            <Prose text={host.remedy} />
          </p>
        </div>
      )}
    </li>
  );
}

export function Trouble({ cause, remedy }: { cause: string; remedy: string }) {
  return (
    <div class="note error" role="alert">
      <Icon name="error" />
      <div>
        <p>{cause}</p>
        {remedy && (
          <p>
            <Prose text={remedy} />
          </p>
        )}
      </div>
    </div>
  );
}

function progressText(host: HostState, job: Job): string {
  const seconds = job.duration_ms / 1000;
  return `, ${Math.min(host.seconds, seconds).toFixed(1)} of ${seconds} s`;
}

/** Changes with the state only, so that screen readers are not told of every tenth of a second. */
function headline(job: Job): string {
  const count = job.hosts.length;
  const written = job.hosts.filter((host) => host.state === "written").length;
  if (job.state === "cancelling") return "Cancelling the capture";
  if (job.state === "running") return count > 1 ? `Capturing: ${written} of ${count} written` : "Capturing";
  if (job.state === "written" && written === count) return "The profile is written";
  if (job.state === "written") return `${written} of ${count} hosts gave a profile`;
  return job.state === "cancelled" ? "The capture was cancelled" : "No profile was recorded";
}
