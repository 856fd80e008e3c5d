/**
 * What the list shows: the calls as they are, or, while somebody reads, those that stood there when the reading began, since a
 * list that somebody reads must not jump. A held list keeps its order; what becomes of its calls is still told, in their place.
 */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CallRow } from "../../../doors/live/views.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { type Calls, calls, hub } from "../../kit/live.ts";
import { Badge } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { callKey } from "./call-parts.ts";

interface Feed {
  /** Those under way first, then the newest. */
  readonly rows: readonly CallRow[];
  readonly isHeld: boolean;
  /** How many calls have come that a held list does not show. */
  readonly came: number;
  /** How many ended between the last two looks: whether a row can still be caught with a pointer. */
  readonly arrived: number;
  readonly live: Calls;
  /** Of those that came, the ones that have ended. */
  readonly cameEnded: number;
}

export function startFeed(live: Calls): Feed {
  return { rows: [...live.running, ...live.ended], isHeld: false, came: 0, arrived: 0, cameEnded: 0, live };
}

/** The same object where nothing is new. */
export function nextFeed(feed: Feed, live: Calls, isHeld: boolean): Feed {
  if (feed.isHeld === isHeld && feed.live === live) return feed;
  const fresh = freshOf(feed.live, live);
  const skipped = Math.max(0, live.skipped - feed.live.skipped);
  const arrived = feed.live === live ? feed.arrived : fresh.length + skipped;
  if (!isHeld) return { ...startFeed(live), arrived };
  const shown = new Set(feed.rows.map(callKey));
  const isNew = (row: CallRow): boolean => !shown.has(callKey(row));
  const cameEnded = (feed.isHeld ? feed.cameEnded : 0) + fresh.filter(isNew).length + skipped;
  const came = cameEnded + live.running.filter(isNew).length;
  return { rows: settled(feed.rows, live), isHeld, came, arrived, cameEnded, live };
}

/** Those that ended since the last look: the list grows at its head. */
function freshOf(before: Calls, { ended }: Calls): readonly CallRow[] {
  const [known] = before.ended;
  if (before.ended === ended) return [];
  const place = known ? ended.findIndex((row) => callKey(row) === callKey(known)) : -1;
  return place < 0 ? ended : ended.slice(0, place);
}

/** How a call ended that was under way. In a flood it may have ended without our being told how. */
function settled(rows: readonly CallRow[], live: Calls): readonly CallRow[] {
  if (rows.every(({ state }) => state === "ended")) return rows;
  const now = new Map([...live.ended, ...live.running].map((row) => [callKey(row), row]));
  return rows.map((row) => (row.state === "ended" ? row : (now.get(callKey(row)) ?? { ...row, state: "ended" })));
}

/** When those under way began, by the page's own clock, which need not be the hub's. */
export function beganTimes(known: BeganTimes, running: readonly CallRow[], now: number): BeganTimes {
  return new Map(running.map((row) => [callKey(row), known.get(callKey(row)) ?? now - row.ms]));
}

/** By the keys of calls. */
export type BeganTimes = ReadonlyMap<number | string, number>;

/** If more calls end between two events, a row moves away under the pointer: the list is held. */
const CATCHABLE = 2;

export interface Reading {
  readonly isScrolled: boolean;
  readonly isPointing: boolean;
  /** The keyboard is on a row. */
  readonly isFocused: boolean;
}

interface FeedView {
  readonly feed: Feed;
  readonly began: BeganTimes;
  readonly isPaused: boolean;
  pause(isPaused: boolean): void;
  read(reading: Partial<Reading>): void;
  /** Lets the list move again, whatever is being read. */
  release(): void;
}

const NOT_READING: Reading = { isScrolled: false, isPointing: false, isFocused: false };

/** `isOpen`: one call is looked at in front of the list. */
export function useFeed(isOpen: boolean): FeedView {
  const live = useStore(calls);
  const startedUtc = useStore(hub)?.startedUtc;
  const [isPaused, pause] = useState(false);
  const [reading, setReading] = useState(NOT_READING);
  const [isCaught, setCaught] = useState(false);
  const feed = useRef(startFeed(live));
  const epoch = useRef(startedUtc);
  // A hub that was restarted counts its calls from one again.
  if (epoch.current !== startedUtc) feed.current = startFeed(live);
  epoch.current = startedUtc;
  const isHeld = isPaused || isOpen || isCaught || reading.isScrolled || reading.isFocused;
  feed.current = nextFeed(feed.current, live, isHeld);
  const { arrived } = feed.current;
  useEffect(() => {
    setCaught((was) => reading.isPointing && (was || arrived > CATCHABLE));
  }, [reading.isPointing, arrived]);
  const began = useRef<BeganTimes>(new Map());
  const shown = useRef(live.running);
  if (shown.current !== live.running || began.current.size === 0) {
    shown.current = live.running;
    began.current = beganTimes(began.current, live.running, performance.now());
  }
  return {
    feed: feed.current,
    began: began.current,
    isPaused,
    pause,
    read: (change) => setReading((before) => (isSameReading(before, change) ? before : { ...before, ...change })),
    release: () => {
      pause(false);
      setCaught(false);
      setReading(NOT_READING);
    },
  };
}

function isSameReading(before: Reading, change: Partial<Reading>): boolean {
  return (Object.keys(change) as (keyof Reading)[]).every((name) => before[name] === change[name]);
}

/** Whether the list moves, what has come meanwhile, and what could not be shown. */
export function StatusBar(props: {
  view: FeedView;
  shown: number;
  release: () => void;
  /** Lets the list move and focuses it: the button itself is gone then. */
  showNew: () => void;
}): VNode {
  const { view, shown, release, showNew } = props;
  const { feed, isPaused } = view;
  const { inFlight, running, skipped } = feed.live;
  const unseen = Math.max(0, inFlight - running.length);
  return html`<div class="call-status">
    <span role="status"><${Badge} tone=${feed.isHeld ? "warn" : "good"}>${t(wordOf(view))}</${Badge}></span>
    <button type="button" class="button small" onClick=${() => (isPaused ? release() : view.pause(true))}>
      ${isPaused ? t("calls.resume") : t("calls.pause")}
    </button>
    ${
      feed.isHeld &&
      html`<span>${t("calls.came", { count: number(feed.came) })}</span>
        ${!isPaused && feed.came > 0 && html`<button type="button" class="button small" onClick=${showNew}>${t("calls.showNew")}</button>`}`
    }
    <span class="grow"></span>
    <span class="muted">${t("calls.inFlight", { count: number(inFlight) })}</span>
    <span class="muted">${t("calls.shown", { count: number(shown), total: number(feed.rows.length) })}</span>
    ${unseen > 0 && html`<span class="muted">${t("calls.unseen", { count: number(unseen) })}</span>`}
    ${skipped > 0 && html`<span class="muted">${t("calls.skipped", { count: number(skipped) })}</span>`}
  </div>`;
}

function wordOf({ feed, isPaused }: FeedView): "calls.paused" | "calls.held" | "calls.following" {
  if (isPaused) return "calls.paused";
  return feed.isHeld ? "calls.held" : "calls.following";
}
