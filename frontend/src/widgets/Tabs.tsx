/** Tabs, moved between with the arrow keys. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface Props {
  label: string;
  tabs: { name: string; label: string }[];
  value: string;
  onChoose: (name: string) => void;
  children: ComponentChildren;
}

export function Tabs({ label, tabs, value, onChoose, children }: Props) {
  const id = useId();
  const current = Math.max(
    0,
    tabs.findIndex((tab) => tab.name === value),
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = step === 0 ? undefined : tabs[(current + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onChoose(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <div>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab, index) => (
          <button
            key={tab.name}
            id={`${id}-${tab.name}`}
            role="tab"
            aria-selected={index === current}
            aria-controls={`${id}-panel`}
            tabIndex={index === current ? 0 : -1}
            onClick={() => onChoose(tab.name)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tabs[current]?.name ?? ""}`}>
        {children}
      </div>
    </div>
  );
}
