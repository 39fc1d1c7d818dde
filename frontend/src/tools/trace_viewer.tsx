/** Every event of one host on a timeline. */
import { begin } from "../timeline/backends";
export { prepare } from "../timeline/opening";
export { Timeline as default } from "../timeline/Timeline";
export const layout = "full";

begin();
