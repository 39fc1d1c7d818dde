/** Notes: what a person should know beside a result, and the badge that counts them. */
import type { Note } from "../result";
import { ToolLink } from "./ToolLink";
import { Icon, type IconName } from "./Icon";
import { Prose } from "./Prose";
import { usePopover } from "./usePopover";
import { counted, format } from "../units";

const ICONS: Record<Note["severity"], IconName> = { info: "info", warning: "alert", error: "error" };
const RANK: Record<Note["severity"], number> = { info: 0, warning: 1, error: 2 };

export function NoteText({ note }: { note: Note }) {
  return (
    <div>
      <p>
        <Prose text={note.cause} />
        {note.count > 1 && !numbersIn(note.cause).includes(note.count) && (
          <span class="muted"> ({format(note.count, "count")} times)</span>
        )}
      </p>
      {note.remedy && (
        <p class="muted">
          <Prose text={note.remedy} />
        </p>
      )}
      {note.link && (
        <p>
          <ToolLink link={note.link}>Show where</ToolLink>
        </p>
      )}
    </div>
  );
}

function numbersIn(text: string): number[] {
  return (text.match(/\d[\d,]*/g) ?? []).map((digits) => Number(digits.replaceAll(",", "")));
}

export function NoteList({ notes }: { notes: Note[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="notes">
      {notes.map((note) => (
        <li class={`note ${note.severity}`} key={note.cause}>
          <Icon name={ICONS[note.severity]} />
          <NoteText note={note} />
        </li>
      ))}
    </ul>
  );
}

/** Counts what was dropped, truncated or inferred, and opens the list. Shows nothing where there is nothing to say. */
export function QualityBadge({ notes }: { notes: Note[] }) {
  const { open, setOpen, anchor } = usePopover();
  if (notes.length === 0) return null;
  const worst = notes.reduce((a, b) => (RANK[b.severity] > RANK[a.severity] ? b : a)).severity;
  return (
    <div class="anchor" ref={anchor}>
      <button class={`badge ${worst}`} aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={ICONS[worst]} />
        {counted(notes.length, "remark")} on the data
      </button>
      {open && (
        <div class="popover">
          <NoteList notes={[...notes].sort((a, b) => RANK[b.severity] - RANK[a.severity])} />
        </div>
      )}
    </div>
  );
}
