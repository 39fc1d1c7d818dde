/** The state of one timeline, and the loop that draws it: a frame is made only when something has changed. */
import { computed, effect, signal, type Signal } from "@preact/signals";
import { ApiError } from "../api";
import { theme } from "../theme";
import type { QueryFunction, ViewProps } from "../tools/view";
import { anchored } from "./anchor";
import { Camera } from "./camera";
import { GREY } from "./colour";
import { Colours } from "./colours";
import { CounterStore } from "./counters";
import { FlowStore } from "./flows";
import { frameOf, type Frame, type Layer } from "./frame";
import { hitAt, NO_EVENT, type Hit } from "./hit";
import { laneAt, layoutOf, rowsBetween, type Choices, type Row, type TrackRow } from "./layout";
import { readModel, type Model, type Track } from "./model";
import { factsOf, namesOf, wholeTile } from "./opening";
import type { Renderer } from "./renderer";
import type { Area, Hover, Link, Mode, Selected, Span } from "./state";
import { RETRY_MS, TileStore } from "./store";
import { summarised, type Summary } from "./summary";
import { endOf, timeAt, xOf, type View } from "./viewport";

const SETTLED_MS = 120;
/** CSS pixels within which a pointer meets an event. */
const REACH = 3;

export class Engine {
  readonly camera: Camera;
  readonly view: Signal<View>;
  readonly mode = signal<Mode>("pan");
  readonly selected = signal<Selected | null>(null);
  /** What the selected event was caused by, and what it caused. */
  readonly links = signal<readonly Link[]>([]);
  readonly area = signal<Area | null>(null);
  /** The interval that the timing tool measures. */
  readonly measured = signal<Span | null>(null);
  readonly marks = signal<readonly number[]>([]);
  readonly hover = signal<Hover | null>(null);
  readonly names = signal<readonly string[]>([]);
  /** Names that a search has found; null while nothing is sought. */
  readonly sought = signal<ReadonlySet<number> | null>(null);
  readonly density = signal<readonly number[]>([]);
  readonly summary = signal<Summary | null>(null);
  readonly loading = signal(false);
  /** What went wrong and has not gone well since; null where nothing has. */
  readonly failure = computed(
    () => [...this.failures.value.values()].find((error) => error !== null) ?? null,
  );
  readonly rows = signal<readonly Row[]>([]);
  readonly choices = signal<Choices>({
    closed: new Set(),
    opened: new Set(),
    compact: new Set(),
    hidden: new Set(),
    pinned: [],
    order: [],
  });
  /** What a screen reader is to say besides what is selected. */
  readonly said = signal("");
  /** Size of the page's text, 1 where it is the usual one. */
  readonly unit = signal(1);
  /** Device pixels in one of CSS. */
  readonly ratio = signal(1);
  readonly layout = computed(() =>
    layoutOf(this.tracks.value, this.choices.value, this.unit.value, this.ratio.value),
  );
  readonly colours: Colours;
  readonly store: TileStore;
  readonly counters: CounterStore;
  readonly flows: FlowStore;
  readonly layers: Layer[] = [];
  /** Where the mouse is in the drawing, CSS pixels. */
  pointer: { x: number; y: number } | null = null;
  renderer: Renderer | null = null;
  scroller: HTMLElement | null = null;
  /** Called before each frame with the seconds since the last; true keeps the frames coming. */
  motion: (seconds: number) => boolean = () => false;

  private readonly tracks: Signal<Model>;
  /** By what asked. */
  private readonly failures = signal<ReadonlyMap<unknown, unknown>>(new Map());
  private readonly abort = new AbortController();
  private readonly stop: () => void;
  private frame = 0;
  private last = 0;
  private settling = 0;
  private drawn: Frame | null = null;

  constructor(
    model: Model,
    private readonly query: QueryFunction,
    private readonly addNotes: ViewProps["addNotes"],
  ) {
    this.tracks = signal(model);
    this.camera = new Camera(model.end, model.opening);
    this.view = this.camera.view;
    this.store = new TileStore(
      (params, signal) => query("window", params, { signal, binary: true }),
      () => this.invalidate(),
    );
    this.counters = new CounterStore(
      query,
      () => this.invalidate(),
      (error) => this.report("counters", error),
    );
    this.flows = new FlowStore(query, (error) => this.report("flows", error));
    this.colours = new Colours(this.names, this.sought, () => this.asked(factsOf));
    this.stop = effect(() => {
      for (const watched of [this.view, this.selected, this.area, this.measured, this.marks, this.hover])
        void watched.value;
      void this.layout.value;
      void this.links.value;
      void this.flows.wanted.value;
      void this.flows.shown.value;
      void this.colours.shading.value;
      this.invalidate();
    });
    void this.load();
  }

  get model(): Model {
    return this.tracks.value;
  }

  get end(): number {
    return this.model.end;
  }

  dispose(): void {
    this.stop();
    this.colours.stop();
    this.abort.abort();
    this.store.dispose();
    this.counters.dispose();
    this.flows.dispose();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.settling);
  }

  /** Draws soon. While the page is hidden the browser holds the frame back. */
  invalidate(): void {
    this.frame ||= requestAnimationFrame((now) => this.tick(now));
  }

  scrollBy(pixels: number): void {
    if (this.scroller) this.scroller.scrollTop += pixels;
  }

  choose(change: Partial<Choices>): void {
    this.choices.value = { ...this.choices.value, ...change };
  }

  trackOf(id: number): Track | undefined {
    for (const { tracks } of this.model.sections) {
      const found = tracks.find((track) => track.id === id);
      if (found) return found;
    }
    return undefined;
  }

  /** Notices what the mouse is over, also when the drawing moves under it. */
  point(): void {
    const found = this.pointer && this.hitAt(this.pointer.x, this.pointer.y);
    const { hover } = this;
    const known = hover.peek();
    const same = found?.hit.id === known?.hit.id && found?.hit.start === known?.hit.start;
    if (!same || found?.x !== known?.x || found?.y !== known?.y) hover.value = found;
  }

  /** What is drawn at a point of the drawing. */
  hitAt(x: number, y: number): Hover | null {
    const found = laneAt(this.layout.value, y + (this.drawn?.scrollTop ?? 0));
    const slices = found && this.drawn?.strips.get(found.row)?.lanes[found.lane];
    if (!slices) return null;
    const view = this.view.value;
    const time = timeAt(view, x);
    const counts = found.row.track.kind === "counter";
    const hit = hitAt(slices, time, REACH * view.scale) ?? (counts ? between(time) : null);
    return hit && { hit, row: found.row, lane: found.lane, x, y };
  }

  /** The first event that is drawn, on the topmost track that shows one. */
  firstInView(): Hover | null {
    return this.nearest([...(this.drawn?.strips.keys() ?? [])], Math.max(this.view.value.start, 0));
  }

  /** What is drawn nearest to the selected event, on the next track above (-1) or below that shows anything. */
  onTrackBeside(direction: 1 | -1): Hover | null {
    const event = this.selected.value;
    if (!event) return null;
    const rows = [...(this.drawn?.strips.keys() ?? [])];
    const from = rows.findIndex(({ track }) => track.id === event.track);
    const further = direction > 0 ? rows.slice(from + 1) : rows.slice(0, Math.max(from, 0)).reverse();
    return this.nearest(further, event.start);
  }

  /** What is drawn nearest to a time, in the top lane of the first of some tracks that shows anything. */
  private nearest(rows: readonly TrackRow[], time: number): Hover | null {
    const view = this.view.value;
    for (const row of rows) {
      const [slices] = this.drawn?.strips.get(row)?.lanes ?? [];
      const hit = slices && hitAt(slices, time, view.width * view.scale);
      if (hit) return { hit, row, lane: 0, x: xOf(view, hit.start), y: row.y - (this.drawn?.scrollTop ?? 0) };
    }
    return null;
  }

  /** The tracks that have a part between two heights of the drawing. */
  tracksBetween(top: number, bottom: number): number[] {
    const scrolled = this.drawn?.scrollTop ?? 0;
    return rowsBetween(this.layout.value, top + scrolled, bottom + scrolled).flatMap((row) =>
      row.kind === "track" ? [row.track.id] : [],
    );
  }

  private async load(): Promise<void> {
    const whole = async (later: boolean): Promise<void> => {
      this.store.root =
        (await this.asked((query, signal) => wholeTile(query, signal, later))) ?? this.store.root;
      this.invalidate();
    };
    const names = (later: boolean): Promise<unknown> =>
      this.asked(async (query, signal) => {
        const known = this.names.value.length;
        for await (const page of namesOf(query, signal, known, later))
          this.names.value = [...this.names.value, ...page];
      });
    const rest = async (query: QueryFunction, signal: AbortSignal): Promise<void> => {
      const found = await query("overview", {}, { signal });
      anchored(this, () => (this.tracks.value = readModel(found)));
      this.addNotes(found.notes);
    };
    await Promise.all([whole(true), names(true)]);
    if (this.model.later) await this.asked(rest);
    // What takes a while to be found has names of its own.
    if (this.names.value.length < this.model.names) await Promise.all([whole(false), names(false)]);
  }

  /** The answer; null where there is none, which `failure` then says. Asks again where no server answers. */
  private async asked<T>(ask: (query: QueryFunction, signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const { signal } = this.abort;
    for (;;) {
      try {
        const answer = await ask(this.query, signal);
        this.report(ask, null);
        return answer;
      } catch (error) {
        if (signal.aborted) return null;
        this.report(ask, error);
        if (!(error instanceof ApiError) || error.status !== 0) return null;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** Notes how asking went, null for well. After a failure everything on screen is looked at again. */
  private report(asker: unknown, error: unknown): void {
    if ((this.failures.peek().get(asker) ?? null) === error) return;
    this.failures.value = new Map(this.failures.peek()).set(asker, error);
    if (error) setTimeout(() => this.invalidate(), RETRY_MS);
  }

  private tick(now: number): void {
    this.frame = 0;
    const moving = this.motion(this.last ? Math.min((now - this.last) / 1000, 0.05) : 1 / 60);
    this.last = moving ? now : 0;
    this.draw();
    if (moving) this.invalidate();
  }

  private draw(): void {
    const { renderer, scroller } = this;
    const view = this.view.value;
    if (!renderer || !scroller || view.width === 0) return;
    this.ratio.value = window.devicePixelRatio || 1;
    const frame = frameOf(this.model, this.layout.value, this.store, view, scroller, this.ratio.value);
    this.drawn = frame;
    renderer.draw({
      width: Math.round(view.width * frame.ratio),
      height: Math.round(frame.height * frame.ratio),
      start: view.start,
      scale: view.scale / frame.ratio,
      tracks: [...frame.strips]
        .flatMap(([row, strips]) => (row.track.kind === "counter" ? [] : [strips]))
        .concat(frame.beyond),
      shade: this.colours.shading.value.shade,
      palette: this.colours.shading.value.palette,
      unnamed: GREY[theme.value],
    });
    for (const layer of this.layers) layer(frame);
    this.point();
    this.rows.value = sameRows(this.rows.value, frame.rows) ? this.rows.value : frame.rows;
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => this.settle(frame), SETTLED_MS);
  }

  private settle(frame: Frame): void {
    const tracks = frame.rows.flatMap((row) => (row.kind === "track" ? [row.track] : []));
    const counters = tracks.flatMap(({ id, kind }) => (kind === "counter" ? [id] : []));
    if (counters.length > 0) void this.counters.want(frame.view, frame.ratio, counters, this.end);
    const linked = tracks.map(({ id }) => id).sort((a, b) => a - b);
    void this.flows.want(frame.view, linked, this.end);
    this.loading.value = this.store.loading;
    this.report(this.store, this.store.failure);
    this.summary.value = summarised([...frame.strips.values()], frame.view.start, endOf(frame.view));
  }
}

/** On a counter there is a value also where no sample is. */
function between(time: number): Hit {
  return { id: NO_EVENT, name: NO_EVENT, start: time, end: time, block: null };
}

function sameRows(a: readonly Row[], b: readonly Row[]): boolean {
  return a.length === b.length && a.every((row, i) => row === b[i]);
}
