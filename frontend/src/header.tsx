/** The header: which session and host are looked at, sharing, and the theme. */
import { CaptureButton } from "./capture/CaptureButton";
import { embedded } from "./embed";
import type { Session, ToolInfo } from "./result";
import { ALL_HOSTS, go, host, hrefOf, tool } from "./state";
import { theme, toggleTheme } from "./theme";
import { counted, format } from "./units";
import { copy } from "./widgets/copy";
import { Icon } from "./widgets/Icon";
import { Picker, type Option } from "./widgets/Picker";

interface Props {
  sessions: Session[];
  session: Session | null;
  tools: ToolInfo[] | null;
  onReload: () => void;
}

export function Header({ sessions, session, tools, onReload }: Props) {
  const dark = theme.value === "dark";
  const themeLabel = `Switch to ${dark ? "light" : "dark"} colours`;
  return (
    <header class="header">
      <span class="brand">
        <Icon name="logo" /> Profile
      </span>
      {session && (
        <>
          <Picker
            name="Session"
            options={sessions.map(sessionOption)}
            value={session.run}
            onChoose={(run) => go({ run, tool: tool.value })}
          />
          <HostPicker session={session} info={tools?.find((info) => info.name === tool.value)} />
        </>
      )}
      <span class="spacer" />
      <CaptureButton />
      <button
        class="button plain icon"
        aria-label="Look for new profiles"
        data-tip="Look for new profiles"
        onClick={onReload}
      >
        <Icon name="reset" />
      </button>
      <button class="button plain" onClick={() => void copy(hrefOf({}), "Link copied")}>
        <Icon name="link" /> Share
      </button>
      {!embedded && (
        <button class="button plain icon" aria-label={themeLabel} data-tip={themeLabel} onClick={toggleTheme}>
          <Icon name={dark ? "sun" : "moon"} />
        </button>
      )}
    </header>
  );
}

function HostPicker({ session, info }: { session: Session; info: ToolInfo | undefined }) {
  const bytes = new Map(session.hosts.map((file) => [file.host, file.bytes]));
  const names = info?.hosts ?? session.hosts.map((file) => file.host);
  const options: Option[] = names.map((name) =>
    name === ALL_HOSTS
      ? { value: name, label: "All hosts", detail: `${session.hosts.length} hosts together` }
      : { value: name, label: name, detail: format(bytes.get(name) ?? null, "bytes") },
  );
  return (
    <Picker
      name="Host"
      options={options}
      value={host.value || (names[0] ?? "")}
      onChoose={(next) => go({ host: next === ALL_HOSTS ? "" : next })}
    />
  );
}

function sessionOption(session: Session): Option {
  return {
    value: session.run,
    label: session.run,
    get detail() {
      const hosts = counted(session.hosts.length, "host");
      const when = new Date(session.modified * 1000).toLocaleString(undefined, {
        dateStyle: "medium",
        timeStyle: "short",
      });
      return `${when} · ${hosts} · ${format(session.bytes, "bytes")}`;
    },
  };
}
