/** What happens when a capture has ended: its session is listed, and opened where somebody waits for it. */
import { useEffect } from "preact/hooks";
import type { Sessions } from "../result";
import { FIRST_TOOL, go } from "../state";
import { format } from "../units";
import { toast } from "../widgets/toast";
import { ended, flawless, follow, running } from "./jobs";
import { opening, show, shown, wasShown } from "./shown";

const AGAIN_MS = 1000;

export function useNewSession(found: Sessions | null, lookAgain: () => void): void {
  const job = ended.value;
  const wanted = opening.value;

  useEffect(() => {
    void follow().then(() => {
      if (wasShown() && running.value.length > 0) show(true);
    });
  }, []);

  useEffect(() => {
    if (!job?.run) return;
    lookAgain();
    // Somebody who has closed the dialog looks at something else: the header tells of the new session.
    if (!shown.value) return;
    opening.value = job.run;
    if (!flawless(job)) return;
    const events = job.hosts.reduce((sum, host) => sum + host.events, 0);
    toast(`Recorded ${format(events, "count")} events`);
    ended.value = null;
    show(false);
  }, [job, lookAgain]);

  useEffect(() => {
    if (wanted === "" || !found) return;
    if (found.sessions.some((session) => session.run === wanted)) {
      opening.value = "";
      go({ run: wanted, tool: FIRST_TOOL });
      return;
    }
    const timer = setTimeout(lookAgain, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [wanted, found, lookAgain]);
}
