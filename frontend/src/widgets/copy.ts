import { toast } from "./toast";

/** Puts `text` on the clipboard and says so. */
export async function copy(text: string, said = "Copied"): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(said);
  } catch {
    // Pages served without TLS from another machine, and frames without permission, have no clipboard interface.
    toast(copyBySelection(text) ? said : "The browser does not allow copying from here.");
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "hidden-visually";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
