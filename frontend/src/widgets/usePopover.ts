/** Opening and closing of something that floats: Escape and a click elsewhere close it. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";

export interface Popover {
  open: boolean;
  setOpen: (open: boolean) => void;
  /** Put on the element that holds both the button and what floats. */
  anchor: RefObject<HTMLDivElement>;
}

export function usePopover(): Popover {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = (event: PointerEvent): void => {
      if (!anchor.current?.contains(event.target as Node)) setOpen(false);
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      setOpen(false);
      anchor.current?.querySelector<HTMLElement>("button")?.focus();
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("keydown", escape, true);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("keydown", escape, true);
    };
  }, [open]);
  return { open, setOpen, anchor };
}
