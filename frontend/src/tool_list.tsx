/** The tools, as a visible list. What has nothing to say about this session is greyed out, with the reason. */
import type { ToolInfo } from "./result";
import { tool } from "./state";
import { PlaceLink } from "./widgets/ToolLink";

export function ToolList({ tools, loading }: { tools: ToolInfo[] | null; loading: boolean }) {
  return (
    <nav class="tools" aria-label="Tools">
      <h2>Tools</h2>
      {loading && <p class="muted">Asking which tools apply…</p>}
      <ul>
        {(tools ?? []).map((info) => (
          <li key={info.name}>
            <Entry info={info} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** A tool that does not apply can still be opened: its page says why, and what would help. */
function Entry({ info }: { info: ToolInfo }) {
  const reason = info.note
    ? `${info.note.cause} ${info.note.remedy}`.trim()
    : "This session has nothing for it.";
  const state =
    info.available !== false
      ? { "data-tip": info.description }
      : { "data-tip": reason, "aria-description": reason, class: "unavailable" };
  return (
    <PlaceLink
      place={{ tool: info.name, params: {} }}
      {...state}
      {...(info.name === tool.value ? { "aria-current": "page" as const } : {})}
    >
      {info.title}
    </PlaceLink>
  );
}
