/** Whether the list moves. One that somebody reads must not jump: it is held, and says how many calls have come. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { calls, hub } from "../../kit/live.ts";
import { Badge } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { beganTimes, type Feed, nextFeed, startFeed } from "./feed.ts";

/** As many at once can still be followed by a pointer. */
const CATCHABLE = 2;

export interface Reading {
  readonly isScrolled: boolean;
  readonly isPointing: boolean;
  /** The keyboard is on a row. */
  readonly isFocused: boolean;
}

interface FeedView {
  readonly feed: Feed;
  readonly began: ReadonlyMap<number, number>;
  readonly isPaused: boolean;
  pause(isPaused: boolean): void;
  read(reading: Partial<Reading>): void;
  /** As if nobody had read any more. */
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
  // Another life of the hub counts its calls from one again.
  if (epoch.current !== startedUtc) feed.current = startFeed(live);
  epoch.current = startedUtc;
  const isHeld = isPaused || isOpen || isCaught || reading.isScrolled || reading.isFocused;
  feed.current = nextFeed(feed.current, live, isHeld);
  const { arrived } = feed.current;
  useEffect(() => {
    setCaught((was) => reading.isPointing && (was || arrived > CATCHABLE));
  }, [reading.isPointing, arrived]);
  const began = useRef<ReadonlyMap<number, number>>(new Map());
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
  /** Lets the list go and leads there: the button is gone then. */
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
