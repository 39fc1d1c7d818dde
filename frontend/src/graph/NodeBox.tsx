/** One instruction: its kind as a colour, its name, what it does, and how long it took. */
import { format } from "../units";
import type { Box } from "./arrange";
import { colourOfKind, kindOf } from "./colour";
import type { GraphNode } from "./model";

export const WIDTH = 216;
export const HEIGHT = 48;
/** With a line for the framework op. */
export const TALL = 64;

const CHARS = 29;
const STRIPE = 6;

interface Props {
  node: GraphNode;
  box: Box;
  /** Time of the longest instruction drawn. */
  longest: number;
  state: "centre" | "selected" | "operand" | "user" | "";
  /** Whether the framework op is written too. */
  withOp: boolean;
  focusable: boolean;
}

export function NodeBox({ node, box, longest, state, withOp, focusable }: Props) {
  const name = middle(node.name, node.open ? Math.max(CHARS, Math.floor(box.width / 8)) : CHARS);
  const facts = [node.opcode, node.time === null ? "" : format(node.time, "ps")].filter(Boolean).join(" · ");
  const texts = node.open
    ? [`${name} · ${facts}`]
    : withOp
      ? [name, facts, tail(node.op, CHARS)]
      : [name, facts];
  return (
    <g
      style={{ "--kind": colourOfKind(kindOf(node.category)) }}
      transform={`translate(${box.x - box.width / 2} ${box.y - box.height / 2})`}
    >
      <g
        class={`graph-node ${node.open ? "open" : ""} ${state}`}
        role="button"
        aria-label={[...texts, name === node.name ? "" : node.name].join(" ").trim()}
        aria-pressed={state === "selected"}
        tabindex={focusable ? 0 : -1}
        data-node={node.name}
        data-tip={tipOf(node)}
      >
        <rect class="graph-frame" width={box.width} height={box.height} rx="6" />
        {!node.open && <path class="graph-kind" d={stripe(box.height)} />}
        {texts.map((text, line) => (
          <text key={line} x={STRIPE + (node.open ? 4 : 10)} y={node.open ? 16 : 20 + 17 * line}>
            {`${text} `}
          </text>
        ))}
        {!node.open && node.time !== null && longest > 0 && (
          <rect
            class="graph-time"
            x={STRIPE}
            y={box.height - 3}
            width={((box.width - STRIPE) * node.time) / longest}
            height="3"
          />
        )}
      </g>
      <More count={node.moreOperands} x={box.width - 2} y={-4} />
      <More count={node.moreUsers} x={box.width - 2} y={box.height + 12} />
    </g>
  );
}

/** How many neighbours are not drawn. */
function More({ count, x, y }: { count: number; x: number; y: number }) {
  return count === 0 ? null : (
    <text class="graph-more" x={x} y={y}>
      +{count}
    </text>
  );
}

function tipOf(node: GraphNode): string {
  const more = [
    node.moreOperands > 0 ? `${node.moreOperands} operands are not drawn` : "",
    node.moreUsers > 0 ? `${node.moreUsers} users are not drawn` : "",
  ];
  const time = node.time === null ? "" : `${format(node.time, "ps")} in all runs`;
  return [node.name, node.category, node.shape, node.op, time, ...more].filter(Boolean).join("\n");
}

/** The left edge, with the corners of the frame. */
function stripe(height: number): string {
  return `M${STRIPE} 0H6a6 6 0 0 0-6 6V${height - 6}a6 6 0 0 0 6 6h${STRIPE - 6}z`;
}

/** Text without its middle: names differ in their ends. */
function middle(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.floor(most / 3);
  return `${text.slice(0, most - end - 1)}…${text.slice(text.length - end)}`;
}

function tail(text: string, most: number): string {
  return text.length <= most ? text : `…${text.slice(text.length - most + 1)}`;
}
