/** Finds instructions by name, opcode or framework op, and offers them while one types. */
import { useEffect, useId, useState } from "preact/hooks";
import { isAbort } from "../api";
import { column, type Result, type Value } from "../result";
import type { QueryFunction } from "../tools/view";
import { format } from "../units";
import { Icon } from "../widgets/Icon";

interface Props {
  module: string;
  query: QueryFunction;
  /** What is looked for at first. */
  initial: string;
  onChoose: (module: string, name: string) => void;
}

interface Found {
  module: string;
  name: string;
  detail: string;
}

const PAUSE_MS = 150;
const LISTED = 20;

export function InstructionSearch({ module, query, initial, onChoose }: Props) {
  const [text, setText] = useState(initial);
  const [found, setFound] = useState<{ text: string; hits: Found[]; total: number } | null>(null);
  const [active, setActive] = useState(0);
  const id = useId();

  useEffect(() => {
    if (text.trim() === "") return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      query<Result>("search", { module, text, limit: LISTED }, { signal: controller.signal }).then(
        (result) => {
          setFound({ text, hits: hitsOf(result), total: Number(result.metrics[0]?.value ?? 0) });
          setActive(0);
        },
        (error: unknown) => {
          if (!isAbort(error)) setFound({ text, hits: [], total: 0 });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, module, query]);

  const open = text.trim() !== "" && found !== null;
  const hits = open ? found.hits : [];
  const choose = (hit: Found | undefined): void => {
    if (!hit) return;
    setText("");
    setFound(null);
    onChoose(hit.module, hit.name);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") setActive(Math.min(active + 1, hits.length - 1));
    else if (event.key === "ArrowUp") setActive(Math.max(active - 1, 0));
    else if (event.key === "Enter") choose(hits[active]);
    else if (event.key === "Escape") setText("");
    else return;
    event.preventDefault();
  };
  return (
    <div class="anchor graph-search">
      <label class="table-search">
        <Icon name="search" />
        <span class="hidden-visually">Search instructions</span>
        <input
          class="field"
          type="search"
          role="combobox"
          aria-expanded={open}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={hits.length > 0 ? `${id}-${active}` : undefined}
          placeholder="Find an instruction"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      {open && (
        <div class="popover">
          <ul id={id} role="listbox" aria-label="Instructions found">
            {hits.map((hit, number) => (
              <li
                key={`${hit.module} ${hit.name}`}
                id={`${id}-${number}`}
                role="option"
                class={number === active ? "option active" : "option"}
                aria-selected={number === active}
                onPointerMove={() => setActive(number)}
                onClick={() => choose(hit)}
              >
                {hit.name}
                <small>{hit.detail}</small>
              </li>
            ))}
          </ul>
          <p class="muted graph-found" role="status">
            {found.total === 0
              ? `No instruction of any module holds “${found.text}”.`
              : found.total > hits.length
                ? `${found.total.toLocaleString("en-US")} found: type more of the name.`
                : `${found.total} found`}
          </p>
        </div>
      )}
    </div>
  );
}

function hitsOf({ tables }: Result): Found[] {
  const table = tables["found"];
  const values = (name: string) => column(table, name)?.values ?? [];
  const [modules, opcodes, ops, times] = ["module", "opcode", "op", "self_time"].map(values) as [
    Value[],
    Value[],
    Value[],
    Value[],
  ];
  return values("name").map((name, row) => ({
    module: String(modules[row]),
    name: String(name),
    detail: [opcodes[row], times[row] === null ? null : format(times[row] ?? null, "ps"), ops[row]]
      .filter((part) => part !== null)
      .join(" · "),
  }));
}
