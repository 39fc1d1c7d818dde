/** Where the page lives: in a window of its own, or in an iframe of TensorBoard, whose address then carries the state. */

interface Home {
  /** The window whose address holds the state. */
  window: Window;
  /** Our name in TensorBoard, e.g. `profile`; null standalone. */
  plugin: string | null;
}

function findHome(): Home {
  if (typeof window === "undefined") return { window: globalThis as unknown as Window, plugin: null };
  const name = new URLSearchParams(window.location.search).get("name");
  if (name && window.parent !== window) {
    try {
      void window.parent.document.body;
      return { window: window.parent, plugin: name };
    } catch {
      // A page of another origin embeds us: its address is out of reach, ours has to do.
    }
  }
  return { window, plugin: null };
}

export const home: Home = findHome();
export const embedded: boolean = home.plugin !== null;
