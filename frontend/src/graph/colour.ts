/** What kinds of instructions there are, and the colour of each. */
import { variableOf, type Colour } from "../charts/palette";

export interface Kind {
  label: string;
  colour: Colour;
}

const KINDS: [RegExp, Kind][] = [
  [/^(dot|convolution|fft|cholesky|triangular-solve)|convolution fusion/, { label: "Matrix", colour: 2 }],
  [/fusion$/, { label: "Fusion", colour: 1 }],
  [
    /^(all-|reduce-scatter|collective|ragged|send|recv|infeed|outfeed|partition-id|replica-id)/,
    { label: "Exchange", colour: 7 },
  ],
  [/^(async|copy-start|copy-done)/, { label: "Asynchronous", colour: 9 }],
  [
    /^(data formatting|bitcast|broadcast|concatenate|dynamic|pad|reverse|slice|iota)/,
    { label: "Data movement", colour: 3 },
  ],
  [
    /^(reduce|scatter|gather|select-and-scatter|sort|batch-norm|map)/,
    { label: "Reduction and indexing", colour: 4 },
  ],
  [/^(while|call|conditional|custom-call)/, { label: "Call", colour: 6 }],
  [
    /^(parameter|constant|tuple|get-tuple-element|domain|after-all|opt-barrier)/,
    { label: "Input and structure", colour: "rest" },
  ],
  [/^non-fusion elementwise|^rng/, { label: "Elementwise", colour: 8 }],
];
const OTHER: Kind = { label: "Other", colour: 10 };

/** The kind of an instruction of an HLO category. */
export function kindOf(category: string): Kind {
  return KINDS.find(([pattern]) => pattern.test(category))?.[1] ?? OTHER;
}

export function colourOfKind({ colour }: Kind): string {
  return variableOf(colour);
}
