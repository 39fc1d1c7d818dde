/** A button that opens a list to choose one thing from, with a search field where the list is long. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "./Icon";
import { usePopover } from "./usePopover";

export interface Option {
  value: string;
  label: string;
  /** Read when it is shown. */
  readonly detail?: string;
}

interface Props {
  name: string;
  options: Option[];
  value: string;
  onChoose: (value: string) => void;
}

const SEARCHABLE = 8;

export function Picker({ name, options, value, onChoose }: Props) {
  const { open, setOpen, anchor } = usePopover();
  const [pointedAt, setPointedAt] = useState(false);
  const chosen = options.find((option) => option.value === value);
  const tip = pointedAt && chosen ? [chosen.label, chosen.detail].filter(Boolean).join(" · ") : "";
  return (
    <div class="anchor" ref={anchor}>
      <button
        class="button picker-button"
        aria-haspopup="listbox"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        data-tip={tip}
        onPointerEnter={() => setPointedAt(true)}
        onFocus={() => setPointedAt(true)}
      >
        <span class="name">{name}</span>
        <span class="value">{chosen?.label ?? (value || "none")}</span>
        <Icon name="chevron" />
      </button>
      {open && (
        <Choices
          name={name}
          options={options}
          value={value}
          onChoose={(next) => {
            setOpen(false);
            anchor.current?.querySelector("button")?.focus();
            if (next !== value) onChoose(next);
          }}
        />
      )}
    </div>
  );
}

function Choices({ name, options, value, onChoose }: Props) {
  const [search, setSearch] = useState("");
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = options.filter((option) => {
    const text = `${option.label} ${option.detail ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      options.findIndex((option) => option.value === value),
    ),
  );
  const current = Math.min(active, found.length - 1);
  const id = useId();
  const focused = useRef<HTMLInputElement & HTMLUListElement>(null);
  useEffect(() => focused.current?.focus(), []);
  useEffect(
    () => document.getElementById(`${id}-${current}`)?.scrollIntoView({ block: "nearest" }),
    [id, current],
  );

  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + 10,
      PageUp: current - 10,
    };
    const target = moves[event.key];
    if (target !== undefined) {
      event.preventDefault();
      setActive(Math.max(0, Math.min(found.length - 1, target)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      const option = found[current];
      if (option) onChoose(option.value);
    }
  };
  const searchable = options.length >= SEARCHABLE;
  const keys = { onKeyDown, "aria-activedescendant": found.length ? `${id}-${current}` : undefined };
  return (
    <div class="popover">
      {searchable && (
        <input
          ref={focused}
          class="field picker-search"
          type="search"
          role="combobox"
          aria-expanded="true"
          aria-controls={id}
          aria-label={`Search ${name.toLowerCase()}`}
          placeholder={`Search ${options.length}`}
          value={search}
          onInput={(event) => {
            setSearch(event.currentTarget.value);
            setActive(0);
          }}
          {...keys}
        />
      )}
      <ul
        id={id}
        role="listbox"
        aria-label={name}
        {...(searchable ? {} : { ...keys, ref: focused, tabIndex: 0 })}
      >
        {found.map((option, index) => (
          <li
            key={option.value}
            id={`${id}-${index}`}
            role="option"
            class={index === current ? "option active" : "option"}
            aria-selected={option.value === value}
            onPointerMove={() => setActive(index)}
            onClick={() => onChoose(option.value)}
          >
            {option.label}
            {option.detail && <small>{option.detail}</small>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="muted">Nothing matches “{search}”.</p>}
    </div>
  );
}
