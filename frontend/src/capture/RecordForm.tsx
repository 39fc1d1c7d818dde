/** What to record, for how long and how much of it. Checked while it is filled in; nothing wrong is ever sent. */
import { useState } from "preact/hooks";
import { asApiError, type ApiError } from "../api";
import { Icon } from "../widgets/Icon";
import { LevelField, TextField } from "./Field";
import { bodyOf, check, remember, remembered, type Fields } from "./fields";
import { Trouble } from "./JobCard";
import { begin } from "./jobs";
import { ServerAccess } from "./ServerAccess";

export const HOST_LEVELS = ["nothing", "annotations", "ops", "everything"];
const DEVICE_LEVELS = ["nothing", "kernels and copies"];
export const PYTHON_LEVELS = ["nothing", "every call (slows the program)"];

export function RecordForm() {
  const [fields, setFields] = useState<Fields>(remembered);
  const [touched, setTouched] = useState<ReadonlySet<keyof Fields>>(new Set());
  const [sending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const problems = check(fields);
  const set = (name: keyof Fields) => (value: string) => {
    setFields({ ...fields, [name]: value });
    setTouched(new Set([...touched, name]));
  };
  const text = (name: keyof Fields) => ({
    value: fields[name],
    onChange: set(name),
    problem: touched.has(name) ? problems[name] : undefined,
  });
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const wrong = Object.keys(problems) as (keyof Fields)[];
    setTouched(new Set(wrong));
    if (wrong.length > 0) {
      setTimeout(() => focusFirst(form));
      return;
    }
    remember(fields);
    setSending(true);
    setRefusal(null);
    try {
      await begin(bodyOf(fields));
    } catch (error) {
      setRefusal(asApiError(error));
      setSending(false);
    }
  };

  return (
    <form class="capture-form" noValidate onSubmit={(event) => void submit(event)}>
      <fieldset>
        <legend>Record</legend>
        <div class="view-controls">
          {(["addresses", "tpu"] as const).map((by) => (
            <label class="check" key={by}>
              <input type="radio" name="by" checked={fields.by === by} onChange={() => set("by")(by)} />
              {by === "tpu" ? "A Cloud TPU by name" : "Programs by address"}
            </label>
          ))}
        </div>
        {fields.by === "addresses" ? (
          <TextField
            label="Addresses"
            help="host:port of each profiler server, with commas between"
            placeholder="worker-0:6009, worker-1:6009"
            {...text("addresses")}
          />
        ) : (
          <>
            <TextField label="TPU" help="Its name; “local” for that of the server" {...text("tpu")} />
            <div class="capture-row">
              <TextField label="Zone" help="That of the server if empty" {...text("tpu_zone")} />
              <TextField label="Project" help="That of the server if empty" {...text("gcp_project")} />
            </div>
            <TextField label="Workers" help="Only these, host:port; all if empty" {...text("workers")} />
          </>
        )}
      </fieldset>
      <div class="capture-row">
        <TextField label="Duration" unit="ms" type="number" {...text("duration_ms")} />
        <TextField
          label="Delay"
          unit="ms"
          type="number"
          help="Before all hosts begin together"
          {...text("delay_ms")}
        />
      </div>
      <div class="capture-row">
        <LevelField label="Host tracer" choices={HOST_LEVELS} {...text("host_tracer_level")} />
        <LevelField label="Device tracer" choices={DEVICE_LEVELS} {...text("device_tracer_level")} />
        <LevelField label="Python tracer" choices={PYTHON_LEVELS} {...text("python_tracer_level")} />
      </div>
      <details open={Boolean(problems.session || problems.retries)}>
        <summary>More</summary>
        <div class="capture-row">
          <TextField label="Session name" help="The time if empty" {...text("session")} />
          <TextField label="Retries" type="number" help="At each host that fails" {...text("retries")} />
        </div>
        <ServerAccess
          token={fields.server_token}
          tls={fields.tls}
          onToken={set("server_token")}
          onTls={set("tls")}
        />
      </details>
      {refusal && <Trouble cause={refusal.cause} remedy={refusal.remedy} />}
      <div class="capture-actions">
        <button class="button primary" type="submit" disabled={sending}>
          <Icon name="record" /> {sending ? "Starting…" : "Capture"}
        </button>
      </div>
    </form>
  );
}

function focusFirst(form: HTMLFormElement): void {
  form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
}
