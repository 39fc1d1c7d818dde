/** What a back end holds of the tiles that it drew lately. */
import type { Tile } from "./tiles";

/** What was not asked for in so many frames is given up. */
const KEPT_FRAMES = 600;

export class Held<T> {
  private readonly held = new Map<Tile, { value: T; used: number }>();
  private frame = 0;

  constructor(
    private readonly make: (tile: Tile) => T,
    private readonly drop: (value: T) => void,
  ) {}

  of(tile: Tile): T {
    let found = this.held.get(tile);
    if (!found) this.held.set(tile, (found = { value: this.make(tile), used: 0 }));
    found.used = this.frame;
    return found.value;
  }

  /** Call once per frame. */
  forget(): void {
    for (const [tile, { value, used }] of this.held) {
      if (used > this.frame - KEPT_FRAMES) continue;
      this.drop(value);
      this.held.delete(tile);
    }
    this.frame++;
  }
}
