/** The drawing of a graph: one looks around in it with the mouse or with the keyboard. */
import { useEffect } from "preact/hooks";
import { Icon, type IconName } from "../widgets/Icon";
import { centredOn, fitted, revealing, zoomed } from "./camera";
import { Edges } from "./Edges";
import type { GraphNode } from "./model";
import { NodeBox } from "./NodeBox";
import type { Drawing } from "./useArranged";
import { useCamera } from "./useCamera";
import { isArrow, nextTo } from "./walk";

interface Props {
  drawing: Drawing;
  label: string;
  selected: string;
  withOp: boolean;
  onSelect: (name: string | null) => void;
  onCentre: (name: string) => void;
}

const STEP = 1.3;

export function Canvas({ drawing, label, selected, withOp, onSelect, onCentre }: Props) {
  const { graph, arranged } = drawing;
  const moving = useCamera(drawing);
  const { screen, camera, size, setCamera } = moving;
  const middle = { x: size.width / 2, y: size.height / 2 };
  const box = arranged.boxes[selected];
  const show: Record<string, () => void> = {
    "+": () => setCamera(zoomed(camera, STEP, middle)),
    "-": () => setCamera(zoomed(camera, 1 / STEP, middle)),
    f: () => setCamera(fitted(arranged, size)),
    c: () => box && setCamera(centredOn(box, Math.max(camera.scale, 0.7), size)),
  };
  useEffect(() => {
    if (box && size.width > 0) setCamera(revealing(camera, box, size));
    // Only another selection moves the drawing.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [selected]);

  const focus = (name: string): void =>
    screen.current
      ?.querySelector<SVGElement>(`[data-node="${CSS.escape(name)}"]`)
      ?.focus({ preventScroll: true });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = show[event.key === "=" ? "+" : event.key.toLowerCase()];
    if (isArrow(event.key)) {
      const next = nextTo(graph, arranged, selected, event.key);
      if (next !== null) {
        onSelect(next);
        focus(next);
      }
    } else if (event.key === "Enter") onCentre(selected);
    else if (event.key === "Escape") onSelect(null);
    else if (act) act();
    else return;
    event.preventDefault();
  };
  const nameAt = (event: Event): string | null =>
    event.target instanceof Element
      ? (event.target.closest("[data-node]")?.getAttribute("data-node") ?? null)
      : null;
  const operands = new Set(
    graph.edges.flatMap(({ source, target }) => (target === selected ? [source] : [])),
  );
  const users = new Set(graph.edges.flatMap(({ source, target }) => (source === selected ? [target] : [])));
  const stateOf = ({ name, distance, inside }: GraphNode) =>
    name === selected
      ? ("selected" as const)
      : operands.has(name)
        ? ("operand" as const)
        : users.has(name)
          ? ("user" as const)
          : distance === 0 && inside === null
            ? ("centre" as const)
            : ("" as const);
  const longest = Math.max(0, ...graph.nodes.map(({ time }) => time ?? 0));
  const boxes = (open: boolean) =>
    graph.nodes
      .filter((node) => node.open === open)
      .map((node) => {
        const place = arranged.boxes[node.name];
        return (
          place && (
            <NodeBox
              key={node.name}
              node={node}
              box={place}
              longest={longest}
              state={stateOf(node)}
              withOp={withOp}
              focusable={node.name === selected}
            />
          )
        );
      });
  return (
    <div class="graph-canvas">
      <svg
        ref={screen}
        role="group"
        aria-label={label}
        onPointerDown={moving.onPointerDown}
        onClick={(event) => {
          if (!moving.moved()) onSelect(nameAt(event));
        }}
        onDblClick={(event) => {
          const name = nameAt(event);
          if (name !== null) onCentre(name);
        }}
        onKeyDown={onKeyDown}
      >
        <g transform={`translate(${camera.x} ${camera.y}) scale(${camera.scale})`}>
          {boxes(true)}
          <Edges edges={graph.edges} lines={arranged.lines} selected={selected} />
          {boxes(false)}
        </g>
      </svg>
      <div class="graph-buttons">
        {BUTTONS.map(([key, icon, tip]) => (
          <button
            key={key}
            class="button icon small"
            aria-label={tip}
            data-tip={`${tip} (${key})`}
            onClick={show[key]}
          >
            <Icon name={icon} />
          </button>
        ))}
      </div>
    </div>
  );
}

const BUTTONS: [string, IconName, string][] = [
  ["+", "plus", "Closer"],
  ["-", "minus", "Farther"],
  ["f", "fit", "Show everything"],
  ["c", "select", "To the chosen instruction"],
];
