/** The list itself: rows that are reached with arrows, opened with Enter, and that tell when somebody reads them. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CallRow } from "../../../doors/live/views.ts";
import { html } from "../../kit/html.ts";
import { targetOf, useMedia, VirtualList } from "../../kit/virtual-list.ts";
import { t } from "../../kit/words.ts";
import { callKey } from "./call-parts.ts";
import type { BeganTimes, Reading } from "./feed.ts";
import { CallLine, focusCall } from "./line.ts";

const COLUMNS = ["outcome", "tool", "source", "door", "principal", "class", "wait", "time", "start"] as const;
const NARROW = "(width < 78rem)";
/** The height of a row: one line where there is room, three on a narrow screen. */
const REMS = { wide: 2.75, narrow: 4.75 } as const;
/** How many frames to wait for a row that was scrolled to until it is drawn. */
const PATIENCE = 10;

export function CallList(props: {
  rows: readonly CallRow[];
  began: BeganTimes;
  query: string;
  read: (reading: Partial<Reading>) => void;
}): VNode {
  const { rows, began, query, read } = props;
  const place = useRef<HTMLDivElement>(null);
  const [chosen, choose] = useState<number | string>();
  const isNarrow = useMedia(NARROW);
  // In pixels: more where the reader's letters are larger.
  const [rem] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16);
  const rowHeight = Math.round(rem * (isNarrow ? REMS.narrow : REMS.wide));
  // A list that is gone is read by nobody, and tells of nothing any more.
  useEffect(() => () => read({ isScrolled: false, isPointing: false, isFocused: false }), []);
  const active = rows.some((row) => callKey(row) === chosen) ? chosen : rows[0] && callKey(rows[0]);
  const look = (): void => read({ isScrolled: (frameIn(place.current)?.scrollTop ?? 0) > rowHeight / 2 });
  const move = (event: KeyboardEvent): void => {
    const frame = frameIn(place.current);
    if (!frame) return;
    const focused = rows.findIndex((each) => String(callKey(each)) === callOf(event.target));
    const from = focused < 0 ? Math.round(frame.scrollTop / rowHeight) - 1 : focused;
    const to = targetOf(event.key, from, rows.length, Math.floor(frame.clientHeight / rowHeight)) ?? -1;
    const row = rows[to];
    if (!row) return;
    event.preventDefault();
    choose(callKey(row));
    read({ isFocused: true });
    bringIntoSight(frame, to * rowHeight, rowHeight);
    focusSoon(callKey(row), PATIENCE);
  };
  return html`<div
    ref=${place}
    class="call-list"
    data-narrow=${isNarrow}
    onKeyDown=${move}
    onScrollCapture=${look}
    onPointerEnter=${({ pointerType }: PointerEvent) => pointerType === "mouse" && read({ isPointing: true })}
    onPointerLeave=${() => read({ isPointing: false })}
    onFocusIn=${({ target }: FocusEvent) => isReadByKeyboard(target) && read({ isFocused: true })}
    onFocusOut=${({ relatedTarget }: FocusEvent) => callOf(relatedTarget) === undefined && read({ isFocused: false })}
  >
    <div class="call-heads">
      ${COLUMNS.map((name) => html`<span key=${name} class=${`call-${name}`}>${t(`calls.column.${name}`)}</span>`)}
      <span class="call-action"></span>
    </div>
    <${VirtualList}
      rows=${rows}
      rowHeight=${rowHeight}
      label=${t("calls.list")}
      keyOf=${callKey}
      draw=${(call: CallRow) =>
        html`<${CallLine} call=${call} began=${call.state === "ended" ? undefined : began.get(callKey(call))} query=${query} isActive=${callKey(call) === active} />`}
    />
  </div>`;
}

export function frameIn(place: ParentNode | null): HTMLElement | undefined {
  return place?.querySelector<HTMLElement>(".virtual-list") ?? undefined;
}

/** The call whose row, or button in it, this is. */
function callOf(target: EventTarget | null): string | undefined {
  if (!(target instanceof Element)) return undefined;
  return target.closest(".call-line")?.querySelector<HTMLElement>("[data-call]")?.dataset["call"];
}

function isReadByKeyboard(target: EventTarget | null): boolean {
  return callOf(target) !== undefined && (target as Element).matches(":focus-visible");
}

function bringIntoSight(frame: HTMLElement, top: number, height: number): void {
  if (top < frame.scrollTop) frame.scrollTop = top;
  else if (top + height > frame.scrollTop + frame.clientHeight) frame.scrollTop = top + height - frame.clientHeight;
}

/** A row beyond the edge exists only when the list has been scrolled to it. */
function focusSoon(id: number | string, patience: number): void {
  if (patience > 0 && !focusCall(id)) requestAnimationFrame(() => focusSoon(id, patience - 1));
}
