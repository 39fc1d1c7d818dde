/** Whether the dialog is open, and the session to go to when it is there. */
import { signal } from "@preact/signals";

const STORED = "profiler-plugin.capture.shown";

export const shown = signal(false);
/** Name of a new session that is to be opened as soon as the list has it. */
export const opening = signal("");

export function show(open: boolean): void {
  shown.value = open;
  try {
    if (open) sessionStorage.setItem(STORED, "yes");
    else sessionStorage.removeItem(STORED);
  } catch {
    // Storage is switched off: a reload then closes the dialog.
  }
}

/** Whether it was open when the page was left. */
export function wasShown(): boolean {
  try {
    return sessionStorage.getItem(STORED) !== null;
  } catch {
    return false;
  }
}
