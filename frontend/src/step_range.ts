/** The steps that count, as the address and the server write them: `3-17`, `3-`, `-17`, `3`, or nothing for all. */

/** First and last step, counted from 1. */
export type StepRange = readonly [first: number, last: number];

/** The range in `text` of `count` steps. What cannot be read, or lies beyond them, is all of them. */
export function parseSteps(text: string, count: number): StepRange {
  const found = /^(\d*)(-?)(\d*)$/.exec(text.trim());
  const first = Number(found?.[1] || 1);
  const last = found?.[2] ? Number(found[3] || count) : first;
  return found && text !== "" && first >= 1 && last >= first && last <= count ? [first, last] : [1, count];
}

/** Nothing for all steps, which is not the same as naming all: it counts also what goes on around them. */
export function formatSteps([first, last]: StepRange, count: number): string {
  if (first === 1 && last === count) return "";
  return first === last ? String(first) : `${first}-${last}`;
}

/** Without the first and the last, as long as that leaves a step. */
export function withoutEnds(count: number): StepRange {
  return count > 2 ? [2, count - 1] : [1, count];
}
