/** The views of tools, one file each, discovered by name and loaded when first shown. */
import type { ViewModule } from "./view";

const files = import.meta.glob<ViewModule>(["./*.tsx", "!./_*.tsx"]);
const generic = import.meta.glob<ViewModule>("./_generic.tsx");

/** The view of a tool; the generic one for a tool without a file. */
export function loadView(tool: string): Promise<ViewModule> {
  const load = files[`./${tool}.tsx`] ?? generic["./_generic.tsx"];
  return (load as () => Promise<ViewModule>)();
}
