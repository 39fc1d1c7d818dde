/** A button that opens a short list of actions. */
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon";
import { usePopover } from "./usePopover";

interface Action {
  label: string;
  onChoose: () => void;
}

interface Props {
  label: string;
  icon: IconName;
  actions: Action[];
}

export function Menu({ label, icon, actions }: Props) {
  return (
    <Floating label={label} icon={icon}>
      {(close) =>
        actions.map((action) => (
          <button
            key={action.label}
            class="menu-item"
            onClick={() => {
              close();
              action.onChoose();
            }}
          >
            {action.label}
          </button>
        ))
      }
    </Floating>
  );
}

interface FloatingProps {
  label: string;
  icon: IconName;
  children: (close: () => void) => ComponentChildren;
}

/** A small icon button with anything below it. */
export function Floating({ label, icon, children }: FloatingProps) {
  const { open, setOpen, anchor } = usePopover();
  return (
    <div class="anchor" ref={anchor}>
      <button
        class="button plain icon small"
        aria-label={label}
        data-tip={label}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name={icon} />
      </button>
      {open && <div class="popover end">{children(() => setOpen(false))}</div>}
    </div>
  );
}
