/** Light or dark: as TensorBoard's page, else as chosen here, else as the system. */
import { effect, signal } from "@preact/signals";
import { embedded, home } from "./embed";

export type Theme = "light" | "dark";
const STORED = "profiler-plugin.theme";

export const theme = signal<Theme>("light");

/** Keeps `theme`, and the `data-theme` that the style sheets look at, up to date. */
export function followTheme(): void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const update = (): void => {
    theme.value = embedded ? parentTheme() : (storedTheme() ?? (system.matches ? "dark" : "light"));
  };
  update();
  system.addEventListener("change", update);
  if (embedded) {
    new MutationObserver(update).observe(home.window.document.body, { attributeFilter: ["class"] });
  }
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
  });
}

export function toggleTheme(): void {
  theme.value = theme.value === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(STORED, theme.value);
  } catch {
    // Storage is switched off: the choice then lasts as long as the page.
  }
}

function parentTheme(): Theme {
  return home.window.document.body.classList.contains("dark-mode") ? "dark" : "light";
}

function storedTheme(): Theme | null {
  try {
    const stored = localStorage.getItem(STORED);
    return stored === "light" || stored === "dark" ? stored : null;
  } catch {
    return null;
  }
}
