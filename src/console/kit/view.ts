/** What happens when another view is shown: where the focus goes, and what the window is called. */
import { useEffect, useRef } from "preact/hooks";
import { Store } from "./store.ts";

interface Place {
  readonly current: HTMLElement | null;
}

/** `view` names what is shown. What was pressed is gone with the view that it stood in. */
export function useArrival(place: Place, view: string): void {
  const last = useRef(view);
  useEffect(() => {
    if (last.current === view) return;
    last.current = view;
    place.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [view]);
}

/** After the page has been drawn anew: as long as a window stands in front of it, nothing behind can be focused. */
export function focusOn(id: string): void {
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(id)?.focus()));
}

/** The part that is looked at; the frame puts the page's own name behind it. */
export const titlePart: Store<string | undefined> = new Store<string | undefined>(undefined);

export function titleOf(...parts: readonly (string | undefined)[]): string {
  return [...parts, "Zaguan"].filter(Boolean).join(" · ");
}

/** For a part of a page, for as long as it is shown. */
export function useTitlePart(part: string | undefined): void {
  useEffect(() => {
    titlePart.set(part);
    return () => titlePart.set(undefined);
  }, [part]);
}
