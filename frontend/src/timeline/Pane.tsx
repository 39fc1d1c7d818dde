/** Below the tracks: sums of the selected area, else all about the selected event. */
import type { Actions } from "./actions";
import { AreaPane } from "./AreaPane";
import type { Engine } from "./engine";
import { EventPane } from "./EventPane";

interface Props {
  engine: Engine;
  actions: Actions;
  run: string;
}

export function Pane({ engine, actions, run }: Props) {
  const area = engine.area.value;
  const details = actions.details.value;
  const selected = engine.selected.value;
  if (area && area.end > area.start) {
    return <AreaPane area={area} engine={engine} actions={actions} run={run} />;
  }
  if (!selected) return null;
  return <EventPane selected={selected} details={details} engine={engine} actions={actions} run={run} />;
}
