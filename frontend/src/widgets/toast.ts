/** Short messages at the foot of the page, read out by screen readers. */
import { signal } from "@preact/signals";

interface Toast {
  id: number;
  text: string;
}

const SHOWN_MS = 2500;
let last = 0;

export const toasts = signal<Toast[]>([]);

export function toast(text: string): void {
  const id = ++last;
  toasts.value = [...toasts.value, { id, text }];
  setTimeout(() => {
    toasts.value = toasts.value.filter((shown) => shown.id !== id);
  }, SHOWN_MS);
}
