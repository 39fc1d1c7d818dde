import { copy } from "./copy";
import { Icon } from "./Icon";

export function CopyButton({ text, label }: { text: string; label: string }) {
  return (
    <button
      class="button plain icon small"
      aria-label={label}
      data-tip={label}
      onClick={() => void copy(text)}
    >
      <Icon name="copy" />
    </button>
  );
}
