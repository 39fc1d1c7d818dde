/** All keys and gestures of the timeline. */
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../widgets/Icon";

const GROUPS: [string, [string, string][]][] = [
  [
    "Mouse",
    [
      ["Wheel", "scroll through the tracks"],
      ["Ctrl or ⌘ + wheel, pinch", "zoom at the pointer"],
      ["Drag", "what the chosen tool does; at first: move the window"],
      ["Shift + drag", "select an area and add up its events"],
      ["Drag ⠿", "move a track; so do the arrow keys on it"],
      ["Shift + wheel", "move along the time"],
      ["Click", "select an event"],
      ["Double click", "fit an event"],
      ["Drag on the ruler", "zoom into a range"],
      ["Drag on the map", "move the window, or one of its edges"],
    ],
  ],
  [
    "View",
    [
      ["W S", "zoom in, out"],
      ["A D", "move left, right"],
      ["F", "fit the selection; again: whole profile"],
      ["0", "whole profile"],
      ["1 2 3 4", "select, pan, zoom, timing"],
      ["M", "mark a time, or remove the mark"],
    ],
  ],
  [
    "Events",
    [
      ["/", "search"],
      ["N, Shift N", "next, previous hit"],
      ["[ ]", "previous, next event of the same name"],
      ["← →", "previous, next event on the lane"],
      ["↑ ↓", "enclosing, first nested event"],
      ["Shift + ↑ ↓", "nearest event on the track above, below"],
      ["Enter", "go to the details; at first: select the first event in view"],
      ["Esc", "clear the area, the selection, the search"],
      ["?", "this list"],
    ],
  ],
];

export function Help({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      class="tl-help"
      ref={dialog}
      aria-label="Keys of the timeline"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="tl-pane-head">
        <h2>Keys of the timeline</h2>
        <span class="spacer" />
        <button class="button plain icon small" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </div>
      <div class="tl-help-groups">
        {GROUPS.map(([title, keys]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, what]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
