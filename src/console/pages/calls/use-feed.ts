/** Whether the list moves. One that somebody reads must not jump: it is held, and says how many calls have come. */
import { useEffect, useRef, useState } from "preact/hooks";
import { calls, hub } from "../../kit/live.ts";
import { useStore } from "../../kit/store.ts";
import { beganTimes, type Feed, nextFeed, startFeed } from "./feed.ts";

/** As many at once can still be followed by a pointer. */
const CATCHABLE = 2;

export interface Reading {
  readonly isScrolled: boolean;
  readonly isPointing: boolean;
  /** The keyboard is on a row. */
  readonly isFocused: boolean;
}

export interface FeedView {
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
