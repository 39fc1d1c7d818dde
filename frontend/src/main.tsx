/** The entry point, called by TensorBoard's plugin frame and by our own `index.html`. */
import { render as renderInto } from "preact";
import { App } from "./app";
import { followTensorBoard } from "./reload";
import { followAddress } from "./state";
import { installStyles } from "./styles/install";
import css from "./styles/index.css?inline";
import { askFirst } from "./first";
import { followTheme } from "./theme";

/** For which nothing is drawn where the answers may come: drawing the page twice takes longer than once. */
const PATIENCE_MS = 150;

export function render(): void {
  const answered = askFirst().catch(() => undefined);
  document.documentElement.lang = "en";
  document.title = document.title || "Profile";
  installStyles(css);
  followTheme();
  followAddress();
  followTensorBoard();
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  void Promise.race([answered, patience]).then(() => renderInto(<App />, document.body));
}
