/** The dialog: captures that go on or have ended, else the forms to begin one. May be closed while something goes on. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../widgets/Icon";
import { Tabs } from "../widgets/Tabs";
import { TextField } from "./Field";
import { JobCard, Trouble } from "./JobCard";
import { access, captureToken, ended, follow, running } from "./jobs";
import { KeepForm } from "./KeepForm";
import { RecordForm } from "./RecordForm";
import { show, shown } from "./shown";

export function CaptureDialog() {
  return shown.value ? <Open /> : null;
}

function Open() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>("form .field")?.focus();
    void follow();
    return () => element?.close(); // which gives the focus back
  }, []);
  const close = (): void => {
    if (running.value.length === 0) ended.value = null;
    show(false);
  };
  return (
    <dialog class="capture-dialog" ref={dialog} aria-labelledby="capture-title" onClose={close}>
      <div class="capture-title">
        <h2 id="capture-title">Capture profile</h2>
        <button class="button plain icon small" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </div>
      <Content />
    </dialog>
  );
}

function Content() {
  const [another, setAnother] = useState(false);
  const going = running.value;
  const last = ended.value;
  useEffect(() => setAnother(false), [going.length]);
  if (going.length > 0 && !another) {
    return (
      <>
        {going.map((job) => (
          <JobCard key={job.id} job={job} />
        ))}
        <div class="capture-actions">
          <p class="muted">You may close this, or the page: the server goes on.</p>
          <button class="button" onClick={() => setAnother(true)}>
            Capture something else
          </button>
        </div>
      </>
    );
  }
  if (last && !another) {
    return (
      <>
        <JobCard job={last} />
        <div class="capture-actions">
          <button class="button" onClick={() => (ended.value = null)}>
            <Icon name="reset" /> {last.state === "written" ? "Capture again" : "Try again"}
          </button>
        </div>
      </>
    );
  }
  return <Forms />;
}

function Forms() {
  const [tab, setTab] = useState("record");
  const { state, cause, remedy } = access.value;
  if (state === "off") return <Trouble cause={cause} remedy={remedy} />;
  const tabs = [
    { name: "record", label: "From now on" },
    { name: "keep", label: "The last seconds" },
  ];
  return (
    <>
      {(state === "token" || captureToken.value !== "") && (
        <TextField
          label="Capture token of this server"
          type="password"
          help={remedy || "What PROFILER_CAPTURE_TOKEN was set to when it was started"}
          value={captureToken.value}
          onChange={(value) => (captureToken.value = value)}
        />
      )}
      <Tabs label="What to capture" tabs={tabs} value={tab} onChoose={setTab}>
        {tab === "record" ? <RecordForm /> : <KeepForm />}
      </Tabs>
    </>
  );
}
