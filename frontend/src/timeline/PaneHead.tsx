/** Title of a pane below the tracks. */
import { CopyButton } from "../widgets/CopyButton";
import { Icon } from "../widgets/Icon";

export function PaneHead({ title, note, onClose }: { title: string; note?: string; onClose: () => void }) {
  return (
    <div class="tl-pane-head">
      <h2 title={title}>{title}</h2>
      {note && <span class="muted number">{note}</span>}
      <CopyButton text={title} label="Copy the name" />
      <span class="spacer" />
      <button class="button plain icon small" aria-label="Close" data-tip="Close (Esc)" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}
