/**
 * What of the timeline is in the page's address: the window, the selected event, the area, the measured interval, the search,
 * marks, flows, colours, what dragging does, and tracks and sections pinned, hidden, moved, folded and flattened.
 */
import { effect } from "@preact/signals";
import type { Params, ViewProps } from "../tools/view";
import type { Actions } from "./actions";
import type { Engine } from "./engine";
import { COLOUR_BY } from "./shade";
import { MODES } from "./state";
import { endOf } from "./viewport";

/** After the last change: with each new address a browser draws the page's icon anew. */
const WRITE_MS = 300;
const KEYS = [
  "start_ps",
  "end_ps",
  "event",
  "area",
  "interval",
  "search",
  "regex",
  "stats",
  "pinned",
  "hidden",
  "order",
  "folded",
  "unfolded",
  "flat",
  "marks",
  "flows",
  "colour",
  "drag",
] as const;
type Values = Partial<Record<(typeof KEYS)[number], string>>;

export interface Address {
  /** Shows what the address says, unless it says what was written last. */
  read: (params: Params) => void;
  /** Keeps the address up to date until the returned function is called. */
  write: (setParams: ViewProps["setParams"]) => () => void;
}

export function followAddress(engine: Engine, actions: Actions): Address {
  let known = "";
  let ready = false;
  const read = (params: Params): void => {
    const values: Values = {};
    for (const key of KEYS) if (params[key]) values[key] = params[key];
    ready = true;
    if (textOf(values) === known) return;
    known = textOf(values);
    show(engine, actions, values);
  };
  const write = (setParams: ViewProps["setParams"]): (() => void) => {
    let timer = 0;
    const update = (): void => {
      const values = valuesOf(engine, actions);
      if (!ready || textOf(values) === known || engine.view.value.width === 0) return;
      known = textOf(values);
      setParams(Object.fromEntries(KEYS.map((key) => [key, values[key] ?? null])), { replace: true });
    };
    const stop = effect(() => {
      valuesOf(engine, actions);
      clearTimeout(timer);
      timer = window.setTimeout(update, WRITE_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  };
  return { read, write };
}

function valuesOf(engine: Engine, actions: Actions): Values {
  const view = engine.view.value;
  const { pinned, hidden, order, closed, opened, compact } = engine.choices.value;
  const marks = engine.marks.value;
  const area = engine.area.value;
  const measured = engine.measured.value;
  const mode = engine.mode.value;
  const search = actions.search.value;
  // What a link without a window opens.
  const usual = !engine.model.opening && view.start <= 0 && endOf(view) >= engine.end;
  const selected = engine.selected.value;
  const by = engine.colours.by.value;
  return {
    ...(usual ? {} : { start_ps: String(Math.round(view.start)), end_ps: String(Math.round(endOf(view))) }),
    ...(selected ? { event: String(selected.id) } : {}),
    ...(area ? { area: `${area.start}-${area.end}-${area.tracks.join(".")}` } : {}),
    ...(measured ? { interval: `${measured.start}-${measured.end}` } : {}),
    ...(search
      ? {
          search: search.text,
          ...(search.regex ? { regex: "true" } : {}),
          ...(search.stats ? { stats: "true" } : {}),
        }
      : {}),
    ...(by === "name" ? {} : { colour: by }),
    ...(mode === "pan" ? {} : { drag: mode }),
    ...(pinned.length ? { pinned: pinned.join(".") } : {}),
    ...(order.length ? { order: order.join(".") } : {}),
    ...(hidden.size ? { hidden: [...hidden].join(".") } : {}),
    ...(closed.size ? { folded: [...closed].join(".") } : {}),
    ...(opened.size ? { unfolded: [...opened].join(".") } : {}),
    ...(compact.size ? { flat: [...compact].join(".") } : {}),
    ...(marks.length ? { marks: marks.join(".") } : {}),
    ...(engine.flows.wanted.value ? { flows: "true" } : {}),
  };
}

function show(engine: Engine, actions: Actions, values: Values): void {
  const [start, end] = [Number(values.start_ps), Number(values.end_ps)];
  // The drawing may not have a size yet: its first size keeps what is set here.
  if (end > start) engine.camera.show(start, end);
  engine.choose({
    pinned: numbers(values.pinned),
    hidden: new Set(numbers(values.hidden)),
    order: numbers(values.order),
    closed: new Set(numbers(values.folded)),
    opened: new Set(numbers(values.unfolded)),
    compact: new Set(numbers(values.flat)),
  });
  engine.marks.value = numbers(values.marks);
  engine.flows.wanted.value = values.flows === "true";
  engine.colours.by.value = COLOUR_BY.find((by) => by === values.colour) ?? "name";
  const [from, to, tracks] = (values.area ?? "").split("-");
  engine.area.value = from && to ? { start: Number(from), end: Number(to), tracks: numbers(tracks) } : null;
  const [since, until] = (values.interval ?? "").split("-");
  engine.measured.value = since && until ? { start: Number(since), end: Number(until) } : null;
  engine.mode.value = MODES.find((mode) => mode === values.drag) ?? "pan";
  const selected = engine.selected.value;
  if (!values.event) actions.clear();
  else if (Number(values.event) !== selected?.id) void actions.open(Number(values.event));
  const search = actions.search.value;
  const text = values.search ?? "";
  const how = { regex: values.regex === "true", stats: values.stats === "true" };
  const same = how.regex === (search?.regex ?? false) && how.stats === (search?.stats ?? false);
  if (text !== (search?.text ?? "") || !same) void actions.find(text, how);
}

function numbers(text: string | undefined): number[] {
  return (text ?? "").split(".").filter(Boolean).map(Number).filter(Number.isInteger);
}

function textOf(values: Values): string {
  return KEYS.map((key) => values[key] ?? "").join("\n");
}
