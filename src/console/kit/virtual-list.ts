/** Long lists: only the rows that are seen exist in the page, so that ten thousand cost what thirty do. */
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { html } from "./html.ts";

/** Rows beyond the edge, so that a turn of the wheel does not show an empty stripe. */
const BEYOND = 6;

interface VirtualListProps<Row> {
  readonly rows: readonly Row[];
  readonly rowHeight: number;
  /** Says what the list is, to those who cannot see it. */
  readonly label: string;
  readonly keyOf: (row: Row) => string | number;
  /** One row: an element of the list, which this wraps and places. */
  readonly draw: (row: Row) => VNode;
  /** Called when the end of what there is comes into sight. */
  readonly atEnd?: (() => void) | undefined;
  readonly class?: string | undefined;
}

export function VirtualList<Row>(props: VirtualListProps<Row>): VNode {
  const { rows, rowHeight, label, keyOf, draw, atEnd } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const look = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - BEYOND);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + BEYOND);
  useLayoutEffect(() => {
    if (last >= rows.length) atEnd?.();
  }, [last, rows.length]);
  return html`<div ref=${frame} class=${`virtual-list ${props.class ?? ""}`} role="list" aria-label=${label} tabindex="0">
    <div class="virtual-list-all" role="presentation" style=${{ height: `${rows.length * rowHeight}px` }}>
      ${rows.slice(first, last).map(
        (row, index) => html`<div
          key=${keyOf(row)}
          class="virtual-list-row"
          role="listitem"
          aria-setsize=${rows.length}
          aria-posinset=${first + index + 1}
          style=${{ height: `${rowHeight}px`, transform: `translateY(${(first + index) * rowHeight}px)` }}
        >${draw(row)}</div>`,
      )}
    </div>
  </div>`;
}

/** Whether the screen is as a media query says, now and whenever that changes: rows are higher where it is narrow. */
export function useMedia(query: string): boolean {
  const [fits, setFits] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const look = (): void => setFits(media.matches);
    look();
    media.addEventListener("change", look);
    return () => media.removeEventListener("change", look);
  }, [query]);
  return fits;
}

/** The row that a key leads to. From nowhere (-1) down is the first; undefined for keys that move nothing. */
export function targetOf(key: string, from: number, count: number, page: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + page,
    PageUp: from - page,
    Home: 0,
    End: count - 1,
  };
  const to = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return to === undefined || count === 0 ? undefined : Math.min(count - 1, Math.max(0, to));
}
