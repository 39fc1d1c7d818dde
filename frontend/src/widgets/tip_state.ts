/** Which element's `data-tip` is shown at once, for elements that are active without having the focus. */
import { signal } from "@preact/signals";

export const shownFor = signal<Element | null>(null);

export function showTip(element: Element | null): void {
  shownFor.value = element;
}
