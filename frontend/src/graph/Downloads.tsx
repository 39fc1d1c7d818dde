/** The whole program as a file: HLO text, or the proto that XLA's own tools read. */
import { ApiError } from "../api";
import { download } from "../table/export";
import type { QueryFunction } from "../tools/view";
import { Menu } from "../widgets/Menu";
import { toast } from "../widgets/toast";

const FILES = [
  { label: "HLO text, short", query: "text", ending: "hlo.txt", params: {} },
  { label: "HLO text, long", query: "text", ending: "long.hlo.txt", params: { verbose: "true" } },
  {
    label: "HLO text with framework ops",
    query: "text",
    ending: "metadata.hlo.txt",
    params: { verbose: "true", metadata: "true" },
  },
  { label: "HLO proto (.pb)", query: "proto", ending: "hlo_proto.pb", params: {} },
];

export function Downloads({ module, query }: { module: string; query: QueryFunction }) {
  const fetchFile = async ({ query: name, ending, params }: (typeof FILES)[number]): Promise<void> => {
    try {
      const data = await query(name, { module, ...params }, { binary: true });
      download(`${module.replaceAll(/[^\w().-]+/g, "_")}.${ending}`, new Blob([data]));
    } catch (error) {
      toast(error instanceof ApiError ? error.cause : String(error));
    }
  };
  return (
    <Menu
      label="Download the program"
      icon="download"
      actions={FILES.map((file) => ({ label: file.label, onChoose: () => void fetchFile(file) }))}
    />
  );
}
