/** Arranges graphs off the page's thread: one of 200 instructions takes a few hundred milliseconds. */
import { arrange, type ToArrange } from "./arrange";

self.onmessage = (event: MessageEvent<ToArrange>) => self.postMessage(arrange(event.data));
