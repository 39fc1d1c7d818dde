/** What mouse and keys ask for beyond moving the view; done by the view that holds the panes. */
import type { Hover } from "./state";

export interface Commands {
  search: () => void;
  nextHit: (direction: 1 | -1) => void;
  follow: (link: string) => void;
  select: (hit: Hover | null) => void;
  /** To the nearest event on the next track above (-1) or below. */
  toTrack: (direction: 1 | -1) => void;
  details: () => void;
  help: () => void;
  escape: () => void;
}
