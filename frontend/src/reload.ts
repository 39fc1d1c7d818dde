/** When to look for new profiles: as TensorBoard reloads its data, or when the page comes back to the front. */
import { embedded } from "./embed";

const RELOADED = "experimental.DataReloaded";

/** Calls `look` each time until the returned function is called. */
export function onReload(look: () => void): () => void {
  const seen = (): void => {
    if (document.visibilityState === "visible") look();
  };
  document.addEventListener("visibilitychange", seen);
  listeners.add(look);
  return () => {
    document.removeEventListener("visibilitychange", seen);
    listeners.delete(look);
  };
}

const listeners = new Set<() => void>();

/** Looks for new profiles at once. */
export function lookAgain(): void {
  for (const look of listeners) look();
}

/** Asks TensorBoard's page for its messages to plugins: JSON texts with a type, over a port of our making. */
export function followTensorBoard(): void {
  if (!embedded) return;
  const channel = new MessageChannel();
  channel.port1.onmessage = (event: MessageEvent<unknown>): void => {
    if (typeof event.data !== "string") return;
    const { type, id } = JSON.parse(event.data) as { type?: string; id?: number };
    if (type === RELOADED) lookAgain();
    channel.port1.postMessage(JSON.stringify({ type, id, payload: null, error: null, isReply: true }));
  };
  window.parent.postMessage("experimental.bootstrap", window.location.origin, [channel.port2]);
}
