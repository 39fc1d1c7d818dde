/**
 * The page's state as text in an address.
 *
 *     standalone    #run=train/2024_01_01&tag=overview_page
 *     TensorBoard   #profile&p.profile.run=train/2024_01_01&p.profile.tag=overview_page   (in the parent's address)
 */

export type Values = Readonly<Record<string, string>>;

/** Values of our keys in `hash`. `plugin` is our name in TensorBoard, or null standalone. */
export function parseHash(hash: string, plugin: string | null): Values {
  const prefix = prefixOf(plugin);
  const values: Record<string, string> = {};
  for (const part of partsOf(hash)) {
    if (!part.startsWith(prefix)) continue;
    const equals = part.indexOf("=");
    if (equals < 0) continue;
    values[decode(part.slice(prefix.length, equals))] = decode(part.slice(equals + 1));
  }
  return values;
}

/** `hash` with our keys replaced by `values`; what belongs to others stays. */
export function formatHash(values: Values, plugin: string | null, hash = ""): string {
  const prefix = prefixOf(plugin);
  const ours = Object.entries(values).map(([key, value]) => `${prefix}${encode(key)}=${encode(value)}`);
  if (plugin === null) return `#${ours.join("&")}`;
  const others = partsOf(hash).filter((part) => part.includes("=") && !part.startsWith(prefix));
  return `#${[plugin, ...others, ...ours].join("&")}`;
}

function partsOf(hash: string): string[] {
  return hash.replace(/^#/, "").split("&").filter(Boolean);
}

function prefixOf(plugin: string | null): string {
  return plugin === null ? "" : `p.${plugin}.`;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%2C/g, ",");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
