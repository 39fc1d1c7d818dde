/** Title of a pane below the tracks. */
import type { ComponentChildren } from "preact";
import { CopyButton } from "../widgets/CopyButton";
import { Icon } from "../widgets/Icon";

interface Props {
  title: string;
  note?: string;
  onClose: () => void;
  children?: ComponentChildren;
}

export function PaneHead({ title, note, onClose, children }: Props) {
  return (
    <div class="tl-pane-head">
      <h2 title={title}>{title}</h2>
      {note && <span class="muted number">{note}</span>}
      <CopyButton text={title} label="Copy the name" />
      <span class="spacer" />
      {children}
      <button class="button plain icon small" aria-label="Close" data-tip="Close (Esc)" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}
