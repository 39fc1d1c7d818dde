/** The part of time on screen, and how it is moved. */
import { signal } from "@preact/signals";
import type { Span } from "./state";
import { clamped, panned, showing, zoomed, type View } from "./viewport";

export class Camera {
  readonly view = signal<View>({ start: 0, scale: 1, width: 0 });
  /** What to show as soon as the drawing has a size. */
  private asked: () => void;

  /** `end` is that of the profile, picoseconds; `opening` what to show first. */
  constructor(
    readonly end: number,
    opening: Span | null,
  ) {
    this.asked = () => (opening ? this.show(opening.start, opening.end) : this.showAll());
  }

  /** Keeps the time that is shown. */
  resize(width: number): void {
    const { view } = this;
    if (width === view.value.width || width <= 0) return;
    const { start, scale, width: before } = view.value;
    view.value = { start, scale: before === 0 ? scale : (scale * before) / width, width };
    if (before === 0) this.asked();
  }

  /** Shows a time with `margin` of its length free at both sides. */
  show(start: number, end: number, margin = 0): void {
    const { view } = this;
    if (view.value.width === 0) this.asked = () => this.show(start, end, margin);
    else view.value = clamped(showing(start, end, view.value.width, margin), this.end);
  }

  showAll(): void {
    this.show(0, this.end, 0.01);
  }

  /** Moves a time to the middle. */
  centre(time: number): void {
    const { width, scale } = this.view.value;
    this.view.value = clamped({ start: time - (width * scale) / 2, scale, width }, this.end);
  }

  zoom(factor: number, x = this.view.value.width / 2): void {
    this.view.value = zoomed(this.view.value, x, factor, this.end);
  }

  pan(pixels: number): void {
    this.view.value = panned(this.view.value, pixels, this.end);
  }
}
