/** What events are coloured by, and what has to be asked for it. */
import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import { theme } from "../theme";
import { shadingOf, type ColourBy, type Facts, type Shading } from "./shade";

const NOTHING: Facts = {
  kinds: [],
  kindOfName: [],
  steps: { start: new Float64Array(), end: new Float64Array() },
};

export class Colours {
  readonly by = signal<ColourBy>("name");
  readonly shading: ReadonlySignal<Shading>;
  readonly stop: () => void;

  /** `ask` is called when colours first depend on more than names and times; where it fails it has said so. */
  constructor(
    names: ReadonlySignal<readonly string[]>,
    sought: ReadonlySignal<ReadonlySet<number> | null>,
    ask: () => Promise<Facts | null>,
  ) {
    const facts = signal<Facts>(NOTHING);
    this.shading = computed(() =>
      shadingOf(this.by.value, {
        names: names.value,
        facts: facts.value,
        sought: sought.value,
        theme: theme.value,
      }),
    );
    let asked = false;
    this.stop = effect(() => {
      if (asked || !["step", "category"].includes(this.by.value)) return;
      asked = true;
      void ask().then((answer) => {
        if (answer) facts.value = answer;
        else asked = false;
      });
    });
  }
}
