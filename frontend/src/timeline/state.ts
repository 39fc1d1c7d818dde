/** What can be chosen and pointed at on a timeline. */
import type { Hit } from "./hit";
import type { TrackRow } from "./layout";

/** What dragging does. */
export const MODES = ["select", "pan", "zoom", "timing"] as const;
export type Mode = (typeof MODES)[number];

/** Picoseconds. */
export interface Span {
  start: number;
  end: number;
}

/** A part of the timeline: a time on some tracks. */
export interface Area extends Span {
  tracks: number[];
}

export interface Selected extends Span {
  id: number;
  name: string;
  track: number;
  lane: number;
}

/** Of the selected event: the other event, and whether that came first. */
export interface Link {
  event: Selected;
  cause: boolean;
}

export interface Hover {
  hit: Hit;
  row: TrackRow;
  lane: number;
  /** CSS pixels in the drawing. */
  x: number;
  y: number;
}
