import type { Session } from "./result";

/** Text that changes when the files of a session do, e.g. because another host has written its own. */
export function versionOf({ run, modified, bytes, hosts }: Session): string {
  return `${run} ${modified} ${bytes} ${hosts.length}`;
}
