/** Continuous recording: a server keeps its last seconds, and they are taken after something slow has happened. */
import { useState } from "preact/hooks";
import { asApiError, type ApiError } from "../api";
import { Icon } from "../widgets/Icon";
import { LevelField, TextField } from "./Field";
import { addressProblem, numberProblem, remembered } from "./fields";
import { Trouble } from "./JobCard";
import { keep, kept, snapshot, type Kept } from "./jobs";
import { HOST_LEVELS, PYTHON_LEVELS } from "./RecordForm";
import { ServerAccess } from "./ServerAccess";
import { opening, show } from "./shown";

const MOST_SECONDS = 600;

export function KeepForm() {
  const [fields, setFields] = useState(() => {
    const { addresses, host_tracer_level, python_tracer_level, tls } = remembered();
    const [address = ""] = addresses.split(",");
    return { address, seconds: "10", host_tracer_level, python_tracer_level, tls, server_token: "" };
  });
  const [checked, setChecked] = useState(false);
  const [busy, setBusy] = useState("");
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const several = fields.address.includes(",") ? "Give one address: each server keeps its own." : "";
  const problems = {
    address: several || addressProblem(fields.address),
    seconds: numberProblem(fields.seconds, 1, MOST_SECONDS),
  };
  const set = (name: keyof typeof fields) => (value: string) => setFields({ ...fields, [name]: value });
  const access = {
    ...(fields.server_token ? { server_token: fields.server_token } : {}),
    ...(fields.tls ? { tls: fields.tls } : {}),
  };

  const act = async (what: string, work: () => Promise<void>): Promise<void> => {
    setBusy(what);
    setRefusal(null);
    try {
      await work();
    } catch (error) {
      setRefusal(asApiError(error));
    }
    setBusy("");
  };
  const start = (event: SubmitEvent): void => {
    event.preventDefault();
    setChecked(true);
    if (problems.address || problems.seconds) return;
    const levels = {
      host_tracer_level: Number(fields.host_tracer_level),
      python_tracer_level: Number(fields.python_tracer_level),
    };
    const body = {
      address: fields.address.trim(),
      keep_ms: Number(fields.seconds) * 1000,
      ...levels,
      ...access,
    };
    void act("start", () => keep("start", body));
  };
  const take = (address: string): Promise<void> =>
    act(address, async () => {
      opening.value = await snapshot({ address, ...access });
      show(false);
    });

  return (
    <form class="capture-form" noValidate onSubmit={start}>
      <p class="muted">
        For what is slow only now and then: the program records all the time and keeps its last seconds. Take
        them when it has happened.
      </p>
      {kept.value.length > 0 && (
        <ul class="capture-hosts" aria-label="Servers that keep their last seconds">
          {kept.value.map((server) => (
            <KeptServer
              key={server.address}
              server={server}
              busy={busy}
              onTake={() => void take(server.address)}
              onStop={() =>
                void act(server.address, () => keep("stop", { address: server.address, ...access }))
              }
            />
          ))}
        </ul>
      )}
      <div class="capture-row">
        <TextField
          label="Address"
          help="host:port of one profiler server"
          value={fields.address}
          onChange={set("address")}
          problem={checked ? problems.address : undefined}
        />
        <TextField
          label="Keep"
          unit="s"
          type="number"
          value={fields.seconds}
          onChange={set("seconds")}
          problem={checked ? problems.seconds : undefined}
        />
      </div>
      <div class="capture-row">
        <LevelField
          label="Host tracer"
          choices={HOST_LEVELS}
          value={fields.host_tracer_level}
          onChange={set("host_tracer_level")}
        />
        <LevelField
          label="Python tracer"
          choices={PYTHON_LEVELS}
          value={fields.python_tracer_level}
          onChange={set("python_tracer_level")}
        />
      </div>
      <details>
        <summary>More</summary>
        <ServerAccess
          token={fields.server_token}
          tls={fields.tls}
          onToken={set("server_token")}
          onTls={set("tls")}
        />
      </details>
      {refusal && <Trouble cause={refusal.cause} remedy={refusal.remedy} />}
      <div class="capture-actions">
        <button class="button primary" type="submit" disabled={busy !== ""}>
          {busy === "start" ? "Starting…" : "Start keeping"}
        </button>
      </div>
    </form>
  );
}

interface ServerProps {
  server: Kept;
  busy: string;
  onTake: () => void;
  onStop: () => void;
}

function KeptServer({ server, busy, onTake, onStop }: ServerProps) {
  return (
    <li class="capture-host">
      <div class="capture-host-head">
        <span class="capture-host-icon">
          <span class="capture-dot" />
        </span>
        <strong>{server.address}</strong>
        <span class="muted">
          {server.keep_ms === null
            ? "keeps its last seconds, asked elsewhere"
            : `keeps its last ${server.keep_ms / 1000} s`}
        </span>
        <span class="spacer" />
        <button class="button small" type="button" disabled={busy !== ""} onClick={onTake}>
          <Icon name="download" /> {busy === server.address ? "Taking…" : "Take snapshot"}
        </button>
        <button class="button small" type="button" disabled={busy !== ""} onClick={onStop}>
          Stop
        </button>
      </div>
    </li>
  );
}
