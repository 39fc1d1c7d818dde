/** The entry point, called by TensorBoard's plugin frame and by our own `index.html`. */
import { render as renderInto } from "preact";
import { App } from "./app";
import { followTensorBoard } from "./reload";
import { followAddress } from "./state";
import { installStyles } from "./styles/install";
import css from "./styles/index.css?inline";
import { askFirst } from "./first";
import { followTheme } from "./theme";

export function render(): void {
  askFirst().catch(() => undefined);
  document.documentElement.lang = "en";
  document.title = document.title || "Profile";
  installStyles(css);
  followTheme();
  followAddress();
  followTensorBoard();
  renderInto(<App />, document.body);
}
