/** Every event of one host on a timeline. */
export { Timeline as default } from "../timeline/Timeline";
export const layout = "full";
