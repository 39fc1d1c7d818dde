/** Which events of the window cause which on other tracks: fetched while asked for, once the view is at rest. */
import { signal } from "@preact/signals";
import { isAbort } from "../api";
import type { Result } from "../result";
import type { QueryFunction } from "../tools/view";
import { eventsOf } from "./events";
import type { Selected } from "./state";
import { endOf, type View } from "./viewport";

/** More arrows than these hide what they connect. */
const MOST = 300;

export interface Flow {
  cause: Selected;
  effect: Selected;
}

export interface Flows {
  /** Those with the longest wait between cause and effect. */
  listed: Flow[];
  /** How many there are in the window. */
  total: number;
}

export class FlowStore {
  readonly wanted = signal(false);
  readonly shown = signal<Flows | null>(null);
  private asked = "";
  private running: AbortController | null = null;

  constructor(
    private readonly query: QueryFunction,
    /** Told of each answer: what went wrong, null where nothing did. */
    private readonly onAnswer: (error: unknown) => void,
  ) {}

  dispose(): void {
    this.running?.abort();
  }

  /** Fetches those between some tracks that are in the view, unless they are the ones shown. */
  async want(view: View, tracks: readonly number[], end: number): Promise<void> {
    const start_ps = Math.max(Math.floor(view.start), 0);
    const end_ps = Math.min(Math.ceil(endOf(view)), end);
    const asked = [start_ps, end_ps, ...tracks].join();
    if (!this.wanted.value || asked === this.asked || end_ps <= start_ps || tracks.length === 0) return;
    this.asked = asked;
    this.running?.abort();
    const { signal } = (this.running = new AbortController());
    try {
      const params = { start_ps, end_ps, tracks: tracks.join(","), limit: MOST };
      const { tables, metrics } = await this.query<Result>("flows", params, { signal });
      const effects = eventsOf(tables["flows"], { prefix: "to_" });
      const causes = eventsOf(tables["flows"], { prefix: "from_" });
      const listed = causes.map((cause, i) => ({ cause, effect: effects[i] as Selected }));
      const total = Number(metrics.find(({ name }) => name === "total")?.value ?? 0);
      this.shown.value = { listed, total };
      this.onAnswer(null);
    } catch (error) {
      if (isAbort(error)) return;
      this.asked = "";
      this.onAnswer(error);
    }
  }
}
