/** What the window is called: the page, and before it whatever of the page is looked at. */
import { useEffect } from "preact/hooks";
import { Store } from "./store.ts";

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
