/** What stands in place of a view that is not there: being made, failed, or with nothing to show. Never a blank panel. */
import type { ComponentChildren } from "preact";
import type { ApiError } from "../api";
import type { Note } from "../result";
import type { Progress } from "../tools/view";
import { CopyButton } from "./CopyButton";
import { Icon } from "./Icon";
import { NoteText } from "./Notes";
import { Prose } from "./Prose";

export function ProgressBar({ progress, top = false }: { progress: Progress | null; top?: boolean }) {
  const fraction = progress?.fraction ?? null;
  return (
    <div
      class={`progress ${fraction === null ? "unknown" : ""} ${top ? "progress-top" : ""}`}
      role="progressbar"
      aria-label={progress?.stage ?? "Loading"}
      {...(fraction === null ? {} : { "aria-valuenow": Math.round(fraction * 100) })}
    >
      <div style={fraction === null ? {} : { width: `${fraction * 100}%` }} />
    </div>
  );
}

export function Loading({
  what,
  progress,
  onCancel,
}: {
  what: string;
  progress: Progress | null;
  onCancel?: () => void;
}) {
  const percent = progress?.fraction == null ? "" : ` ${Math.round(progress.fraction * 100)} %`;
  return (
    <div class="state" aria-live="polite">
      <h2>{what}</h2>
      <ProgressBar progress={progress} />
      <p class="muted number">
        {progress ? `${capitalised(progress.stage)}${percent}` : "Asking the server"}
      </p>
      {onCancel && (
        <p>
          <button class="button" onClick={onCancel}>
            Cancel
          </button>
        </p>
      )}
    </div>
  );
}

export function ErrorCard({ error, onRetry }: { error: ApiError; onRetry?: () => void }) {
  return (
    <div class="card state error" role="alert">
      <h2>
        <Icon name="error" /> {error.cause}
      </h2>
      {error.remedy && (
        <p>
          <Prose text={error.remedy} />
        </p>
      )}
      {error.address && (
        <details>
          <summary>Details</summary>
          <p class="muted">
            {error.status > 0 ? `Status ${error.status}` : "No answer"} for <code>{error.address}</code>
          </p>
        </details>
      )}
      {onRetry && (
        <p>
          <button class="button" onClick={onRetry}>
            <Icon name="reset" /> Try again
          </button>
        </p>
      )}
    </div>
  );
}

interface EmptyProps {
  title: string;
  notes?: Note[];
  /** A command to copy that would fill the view. */
  command?: string;
  children?: ComponentChildren;
}

export function Empty({ title, notes = [], command, children }: EmptyProps) {
  return (
    <div class="card state">
      <h2>
        <Icon name="info" /> {title}
      </h2>
      {notes.length > 0 && (
        <ul>
          {notes.map((note) => (
            <li key={note.cause}>
              <NoteText note={note} />
            </li>
          ))}
        </ul>
      )}
      {children}
      {command && (
        <div class="command">
          <code>{command}</code>
          <CopyButton text={command} label="Copy the command" />
        </div>
      )}
    </div>
  );
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
