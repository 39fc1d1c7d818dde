/** Opens the dialog. While something is recorded it says so, and afterwards what came of it. */
import { Icon } from "../widgets/Icon";
import { ended, running, type Job } from "./jobs";
import { opening, show, shown } from "./shown";

export function CaptureButton({ primary = false }: { primary?: boolean }) {
  const [going] = running.value;
  const done = shown.value ? null : ended.value;
  if (!primary && going) {
    return (
      <button class="button capture-going" onClick={() => show(true)}>
        <span class="capture-dot" /> {stageOf(going)}
      </button>
    );
  }
  if (!primary && done) {
    return (
      <button class={done.run ? "button primary" : "button capture-failed"} onClick={() => showResult(done)}>
        <Icon name={done.run ? "check" : "error"} /> {outcomeOf(done)}
      </button>
    );
  }
  return (
    <button class={primary ? "button primary" : "button"} onClick={() => show(true)}>
      <Icon name="record" /> Capture profile
    </button>
  );
}

/** What the slowest host is at. */
function stageOf(job: Job): string {
  if (job.state === "cancelling") return "Cancelling…";
  const states = new Set(job.hosts.map((host) => host.state));
  if (states.has("recording")) return "Recording…";
  if (states.has("fetching")) return "Fetching…";
  return states.has("waiting") ? "Waiting to record…" : "Connecting…";
}

function outcomeOf(job: Job): string {
  if (job.state === "cancelled") return "Capture cancelled";
  if (!job.run) return "Capture failed";
  return job.hosts.every((host) => host.state === "written") ? "Open new profile" : "Capture partly failed";
}

function showResult(job: Job): void {
  if (job.hosts.every((host) => host.state === "written")) {
    opening.value = job.run;
    ended.value = null;
  } else {
    show(true);
  }
}
