/** One tooltip for the whole page: shows the `data-tip` of what is under the pointer or has the focus. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { shownFor } from "./tip_state";

interface Shown {
  text: string;
  box: DOMRect;
}

const DELAY_MS = 350;
const GAP = 6;

export function Tip() {
  const [shown, setShown] = useState<Shown | null>(null);
  const element = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let timer = 0;
    let owner: Element | null = null;
    const show = (target: EventTarget | null, delay: number): void => {
      const next = target instanceof Element ? target.closest("[data-tip]") : null;
      if (next === owner) return;
      owner = next;
      window.clearTimeout(timer);
      setShown(null);
      if (!next) return;
      timer = window.setTimeout(() => {
        const text = next.getAttribute("data-tip");
        if (text && next.isConnected) setShown({ text, box: next.getBoundingClientRect() });
      }, delay);
    };
    const over = (event: Event): void => show(event.target, DELAY_MS);
    const focus = (event: Event): void => {
      if (event.target instanceof Element && event.target.matches(":focus-visible")) show(event.target, 0);
    };
    const hide = (): void => show(null, 0);
    const unsubscribe = shownFor.subscribe((element) => {
      if (element) show(element, 0);
    });
    document.addEventListener("pointerover", over);
    document.addEventListener("focusin", focus);
    for (const event of ["focusout", "pointerdown", "keydown", "wheel"])
      document.addEventListener(event, hide, { passive: true });
    return () => {
      unsubscribe();
      window.clearTimeout(timer);
      document.removeEventListener("pointerover", over);
      document.removeEventListener("focusin", focus);
      for (const event of ["focusout", "pointerdown", "keydown", "wheel"])
        document.removeEventListener(event, hide);
    };
  }, []);

  useLayoutEffect(() => {
    const tip = element.current;
    if (!tip || !shown) return;
    const { width, height } = tip.getBoundingClientRect();
    const below = shown.box.bottom + GAP + height < window.innerHeight;
    const left = Math.max(
      GAP,
      Math.min(window.innerWidth - width - GAP, shown.box.left + shown.box.width / 2 - width / 2),
    );
    tip.style.left = `${left}px`;
    tip.style.top = `${below ? shown.box.bottom + GAP : Math.max(GAP, shown.box.top - GAP - height)}px`;
  }, [shown]);

  return shown ? (
    <div class="tip" role="tooltip" ref={element}>
      {shown.text}
    </div>
  ) : null;
}
