/** Where one goes on after something has given way to something else: at the beginning of what is there now. */
import { useEffect, useRef } from "preact/hooks";

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
