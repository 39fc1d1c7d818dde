/** Downloads events for other viewers: those in view, or all. */
import { addressOf } from "../api";
import { downloadFrom } from "../table/export";
import { Menu } from "../widgets/Menu";
import type { Engine } from "./engine";
import { endOf } from "./viewport";

const FORMATS = [
  { format: "chrome", label: "Chrome trace events" },
  { format: "perfetto", label: "Perfetto" },
];

interface Props {
  engine: Engine;
  run: string;
  host: string;
}

export function ExportMenu({ engine, run, host }: Props) {
  const exported = (format: string, shown: boolean) => () => {
    const view = engine.camera.view.value;
    const window = {
      start_ps: String(Math.max(Math.floor(view.start), 0)),
      end_ps: String(Math.max(Math.ceil(endOf(view)), 1)),
    };
    downloadFrom(addressOf("export", { run, host, format, ...(shown ? window : {}) }));
  };
  return (
    <Menu
      label="Download events for other viewers"
      icon="download"
      actions={FORMATS.flatMap(({ format, label }) => [
        { label: `${label}, whole profile`, onChoose: exported(format, false) },
        { label: `${label}, what is in view`, onChoose: exported(format, true) },
      ])}
    />
  );
}
