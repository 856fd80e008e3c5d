/** What happens when another view is shown: where the focus goes, and what the window is called. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Store } from "./store.ts";

/** Puts the focus on the new view when `view`, its name, changes: the button that was pressed is gone with the old one. */
export function useArrival(place: RefObject<HTMLElement | null>, view: string): void {
  const last = useRef(view);
  useEffect(() => {
    if (last.current === view) return;
    last.current = view;
    place.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [view]);
}

/** Focuses an element after two frames: while a dialog is still open, nothing behind it can be focused. */
export function focusOn(id: string): void {
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(id)?.focus()));
}

/** The part of the page that is looked at: its name stands before the page's own in the window's title. */
export const titlePart: Store<string | undefined> = new Store(undefined);

export function titleOf(...parts: readonly (string | undefined)[]): string {
  return [...parts, "Zaguan"].filter(Boolean).join(" · ");
}

/** Names the part of a page for as long as it is shown. */
export function useTitlePart(part: string | undefined): void {
  useEffect(() => {
    titlePart.set(part);
    return () => titlePart.set(undefined);
  }, [part]);
}
