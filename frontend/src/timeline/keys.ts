/** Keys of the timeline. */
import type { Commands } from "./commands";
import type { Engine } from "./engine";
import { fit } from "./reveal";
import type { Mode } from "./state";
import { formatTime } from "./ticks";
import { timeAt, xOf } from "./viewport";

const MODES: Record<string, Mode> = { Digit1: "select", Digit2: "pan", Digit3: "zoom", Digit4: "timing" };
const MOVES = new Set(["KeyW", "KeyA", "KeyS", "KeyD"]);
const SIDES: Record<string, 1 | -1> = { ArrowUp: -1, ArrowDown: 1 };
/** CSS pixels between marks that are taken for the same. */
const SAME_MARK = 6;
/** Seconds that a key moves at least: a tap may be over before a frame is drawn. */
const TAP = 0.1;

/** Follows the keys until the returned function is called. Keys meant for inputs, menus and the browser are left alone. */
export function followKeys(engine: Engine, root: HTMLElement, commands: Commands): () => void {
  const held = new Set<string>();
  /** Seconds that keys go on moving, held or not. */
  const left = new Map<string, number>();
  let speed = 0;
  const single: Record<string, () => void> = {
    KeyF: () => fit(engine),
    Digit0: () => engine.camera.showAll(),
    Home: () => engine.camera.showAll(),
    KeyM: () => mark(engine),
    KeyN: () => commands.nextHit(1),
    BracketLeft: () => commands.follow("previous of this name"),
    BracketRight: () => commands.follow("next of this name"),
    ArrowLeft: () => arrow("previous", () => engine.camera.pan(-80)),
    ArrowRight: () => arrow("next", () => engine.camera.pan(80)),
    ArrowUp: () => arrow("parent", () => engine.scrollBy(-40)),
    ArrowDown: () => arrow("first nested", () => engine.scrollBy(40)),
    Enter: () => commands.details(),
    Escape: () => commands.escape(),
  };
  const arrow = (link: string, otherwise: () => void): void => {
    if (engine.selected.value) commands.follow(link);
    else otherwise();
  };
  const down = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !ours(event, root)) return;
    const mode = MODES[event.code];
    if (MOVES.has(event.code)) {
      held.add(event.code);
      if (!event.repeat) left.set(event.code, TAP);
      engine.invalidate();
    } else if (mode) engine.mode.value = mode;
    else if (event.key === "/") commands.search();
    else if (event.key === "?") commands.help();
    else if (event.code === "KeyN" && event.shiftKey) commands.nextHit(-1);
    else if (event.shiftKey && SIDES[event.code] && engine.selected.value)
      commands.toTrack(SIDES[event.code] as 1 | -1);
    else if (single[event.code]) single[event.code]?.();
    else return;
    event.preventDefault();
  };
  const up = (event: KeyboardEvent): void => {
    held.delete(event.code);
  };
  const blur = (): void => {
    held.clear();
    left.clear();
  };
  engine.motion = (seconds) => {
    const moving = new Set([...held, ...left.keys()]);
    if (moving.size === 0) {
      speed = 0;
      return false;
    }
    for (const [code, time] of left) {
      if (time > seconds) left.set(code, time - seconds);
      else left.delete(code);
    }
    speed = Math.min(speed + 3 * seconds, 1.6);
    const pressed = (code: string): number => (moving.has(code) ? 1 : 0);
    const closer = pressed("KeyW") - pressed("KeyS");
    const aside = pressed("KeyD") - pressed("KeyA");
    const { width } = engine.view.value;
    if (closer)
      engine.camera.zoom(Math.exp(closer * (1 + speed) * 1.6 * seconds), engine.pointer?.x ?? width / 2);
    if (aside) engine.camera.pan(aside * (0.5 + speed) * width * seconds);
    return true;
  };
  document.addEventListener("keydown", down);
  document.addEventListener("keyup", up);
  window.addEventListener("blur", blur);
  return () => {
    document.removeEventListener("keydown", down);
    document.removeEventListener("keyup", up);
    window.removeEventListener("blur", blur);
  };
}

/** Whether a key is meant for the timeline: nothing that takes text or keys of its own has the focus. */
function ours(event: KeyboardEvent, root: HTMLElement): boolean {
  const target = event.target as HTMLElement;
  if (!root.isConnected || root.offsetParent === null) return false;
  if (target.closest("input, textarea, select, dialog, [role=dialog], [role=grid], [role=listbox], .popover"))
    return false;
  const outside = target !== document.body && !root.contains(target);
  const pressed = event.code === "Enter" || event.code === "Space" || event.code.startsWith("Arrow");
  return !(outside && pressed) && !(event.code === "Enter" && target.closest("button, a"));
}

function mark(engine: Engine): void {
  const chosen = engine.selected.value;
  const view = engine.view.value;
  const time = chosen?.start ?? timeAt(view, engine.pointer?.x ?? view.width / 2);
  const rest = engine.marks.value.filter((known) => Math.abs(xOf(view, known) - xOf(view, time)) > SAME_MARK);
  const found = rest.length < engine.marks.value.length;
  engine.marks.value = found ? rest : [...rest, Math.round(time)];
  engine.said.value = `${found ? "No mark" : "Mark"} at ${formatTime(time, view.scale)}`;
}
