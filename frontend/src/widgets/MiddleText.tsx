/** Text that loses its middle where room is short: names of ops differ in their ends. */
const TAIL = 14;

export function MiddleText({ text }: { text: string }) {
  const cut = text.length > 2 * TAIL ? text.length - TAIL : text.length;
  return (
    <span class="middle-text">
      <span class="middle-head">{text.slice(0, cut)}</span>
      {cut < text.length && <span>{text.slice(cut)}</span>}
    </span>
  );
}
