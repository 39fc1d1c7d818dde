/** Tools, zoom and search. */
import { useEffect, useRef, useState } from "preact/hooks";
import { counted, format } from "../units";
import { Icon, type IconName } from "../widgets/Icon";
import type { Actions } from "./actions";
import type { Engine } from "./engine";
import { fit } from "./reveal";
import { ExportMenu } from "./ExportMenu";
import { COLOUR_BY, type ColourBy } from "./shade";
import { css } from "./colour";
import type { Mode } from "./state";

const MODES: { mode: Mode; label: string; icon: IconName; tip: string }[] = [
  { mode: "select", label: "Select", icon: "select", tip: "Drag selects an area (1)" },
  { mode: "pan", label: "Pan", icon: "pan", tip: "Drag moves the window (2)" },
  { mode: "zoom", label: "Zoom", icon: "search", tip: "Drag zooms into a range (3)" },
  { mode: "timing", label: "Timing", icon: "timing", tip: "Drag measures an interval (4)" },
];
const TYPING_MS = 250;

interface Props {
  engine: Engine;
  actions: Actions;
  run: string;
  host: string;
  onHelp: () => void;
}

export function Toolbar({ engine, actions, run, host, onHelp }: Props) {
  const hidden = engine.choices.value.hidden.size;
  return (
    <div class="tl-bar">
      <div class="tl-modes" role="group" aria-label="What dragging does">
        {MODES.map(({ mode, label, icon, tip }) => (
          <button
            key={mode}
            class="button small"
            aria-pressed={engine.mode.value === mode}
            aria-label={label}
            data-tip={tip}
            onClick={() => (engine.mode.value = mode)}
          >
            <Icon name={icon} />
          </button>
        ))}
      </div>
      <div class="tl-modes" role="group" aria-label="Zoom">
        <Button label="Zoom out" tip="Zoom out (S)" icon="minus" onClick={() => engine.camera.zoom(1 / 2)} />
        <Button label="Zoom in" tip="Zoom in (W)" icon="plus" onClick={() => engine.camera.zoom(2)} />
        <Button
          label="Fit the selection"
          tip="Fit the selection (F)"
          icon="fit"
          onClick={() => fit(engine)}
        />
        <Button
          label="Whole profile"
          tip="Whole profile (0)"
          icon="reset"
          onClick={() => engine.camera.showAll()}
        />
      </div>
      <SearchBox actions={actions} />
      <button
        class="button small"
        aria-pressed={engine.flows.wanted.value}
        onClick={() => (engine.flows.wanted.value = !engine.flows.wanted.value)}
        data-tip="Arrows from causes to effects between the tracks on screen, such as from launches to kernels"
      >
        Flows
      </button>
      <ColourChoice engine={engine} />
      <span class="spacer" />
      {hidden > 0 && (
        <button
          class="button small"
          aria-label={`Show ${counted(hidden, "hidden track")}`}
          data-tip="Show them again"
          onClick={() => engine.choose({ hidden: new Set() })}
        >
          {hidden} hidden
        </button>
      )}
      <ExportMenu engine={engine} run={run} host={host} />
      <button class="button plain icon small" aria-label="Keys" onClick={onHelp} data-tip="All keys (?)">
        <Icon name="help" />
      </button>
    </div>
  );
}

function ColourChoice({ engine }: { engine: Engine }) {
  const { by, shading } = engine.colours;
  return (
    <>
      <label class="tl-colour">
        <span class="muted">Colour by</span>
        <select
          class="field"
          value={by.value}
          onChange={(event) => (by.value = event.currentTarget.value as ColourBy)}
        >
          {COLOUR_BY.map((each) => (
            <option key={each} value={each}>
              {each === "category" ? "kind of op" : each}
            </option>
          ))}
        </select>
      </label>
      {shading.value.legend.length > 0 && (
        <ul class="tl-legend" aria-label="Colours">
          {shading.value.legend.map(({ label, pixel }) => (
            <li key={label}>
              <i style={{ background: css(pixel) }} /> {label}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface ButtonProps {
  label: string;
  tip: string;
  icon: IconName;
  onClick: () => void;
  disabled?: boolean;
}

function Button({ label, tip, icon, onClick, disabled = false }: ButtonProps) {
  return (
    <button class="button small" aria-label={label} data-tip={tip} onClick={onClick} disabled={disabled}>
      <Icon name={icon} />
    </button>
  );
}

function wordsOf({ text, regex, stats }: { text: string; regex: boolean; stats: boolean }): string {
  return JSON.stringify([text, regex, stats]);
}

function SearchBox({ actions }: { actions: Actions }) {
  const search = actions.search.value;
  const [text, setText] = useState(search?.text ?? "");
  const [regex, setRegex] = useState(search?.regex ?? false);
  const [stats, setStats] = useState(search?.stats ?? false);
  /** What was last asked for from here: its answer must not replace what has been typed since. */
  const asked = useRef("");
  useEffect(() => {
    if (!search) setText("");
    if (!search || wordsOf(search) === asked.current) return;
    setText(search.text);
    setRegex(search.regex);
    setStats(search.stats);
    // Only another search, not another hit of it, replaces what is being typed.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [search?.text, search?.regex, search?.stats]);
  useEffect(() => {
    const known = actions.search.value ?? { text: "", regex, stats };
    const found = text === known.text && regex === known.regex && stats === known.stats;
    if (found && !actions.failure.value) return;
    const timer = window.setTimeout(() => {
      asked.current = wordsOf({ text, regex, stats });
      void actions.find(text, { regex, stats });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [actions, text, regex, stats]);
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter") void actions.nextHit(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      setText("");
      (event.currentTarget as HTMLElement).blur();
    } else return;
    event.preventDefault();
  };
  const nothing = !search || search.total === 0;
  return (
    <div class="tl-search" role="search">
      <label>
        <span class="hidden-visually">Search events by name</span>
        <input
          class="field"
          type="search"
          placeholder="Search events ( / )"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKey}
        />
      </label>
      <button
        class="button small mono"
        aria-pressed={regex}
        aria-label="Regular expression"
        data-tip="Regular expression"
        onClick={() => setRegex(!regex)}
      >
        .*
      </button>
      <button
        class="button small"
        aria-pressed={stats}
        aria-label="Look into stats"
        data-tip="Look into the stats of events too, and at the framework op that they were compiled from"
        onClick={() => setStats(!stats)}
      >
        stats
      </button>
      <Button
        label="Previous hit"
        tip="Previous hit (Shift N)"
        icon="up"
        disabled={nothing}
        onClick={() => void actions.nextHit(-1)}
      />
      <Button
        label="Next hit"
        tip="Next hit (N)"
        icon="chevron"
        disabled={nothing}
        onClick={() => void actions.nextHit(1)}
      />
      <span class="muted number" role="status">
        {search && hits(search.total, search.current)}
      </span>
    </div>
  );
}

function hits(total: number, current: number): string {
  if (total === 0) return "No hits";
  const all = format(total, "count");
  return current < 0 ? counted(total, "hit") : `${format(current + 1, "count")} of ${all}`;
}
