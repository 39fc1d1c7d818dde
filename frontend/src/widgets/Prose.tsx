/** A sentence in which what stands between backticks is code, with a button to copy it. */
import { CopyButton } from "./CopyButton";

export function Prose({ text }: { text: string }) {
  const parts = text.split("`");
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <span class="code-to-copy" key={index}>
            <code>{part}</code>
            <CopyButton text={part} label={`Copy ${part}`} />
          </span>
        ),
      )}
    </>
  );
}
