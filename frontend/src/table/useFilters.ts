/** Filters by column. Those of names are in the page's address, where links from other tools put them. */
import { useMemo, useState } from "preact/hooks";
import type { Table } from "../result";
import { params, setParams } from "../state";

export interface Filters {
  texts: Record<string, string>;
  set: (column: string, text: string) => void;
  clear: () => void;
}

const PREFIX = "filter.";

export function useFilters(table: Table): Filters {
  const [own, setOwn] = useState<Record<string, string>>({});
  const linked = useMemo(() => table.columns.flatMap(({ name, role }) => (role ? [name] : [])), [table]);
  const address = params.value;
  const texts = useMemo(() => {
    const given = linked.flatMap((name) => (address[PREFIX + name] ? [[name, address[PREFIX + name]]] : []));
    return { ...own, ...Object.fromEntries(given) } as Record<string, string>;
  }, [own, linked, address]);
  const write = (column: string, text: string): void =>
    setParams({ [PREFIX + column]: text || null }, { replace: true });
  return {
    texts,
    set: (column, text) =>
      linked.includes(column) ? write(column, text) : setOwn({ ...own, [column]: text }),
    clear: () => {
      setOwn({});
      for (const column of linked) if (address[PREFIX + column]) write(column, "");
    },
  };
}
