/**
 * What the list shows: the calls as they are, or, while somebody reads, those that stood there when the reading began. A
 * held list keeps its order; what becomes of its calls is still told, in their own place.
 */
import type { CallRow } from "../../../doors/live/views.ts";
import type { Calls } from "../../kit/live.ts";

export interface Feed {
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
  const shown = new Set(feed.rows.map(({ id }) => id));
  const isNew = ({ id }: CallRow): boolean => !shown.has(id);
  const cameEnded = (feed.isHeld ? feed.cameEnded : 0) + fresh.filter(isNew).length + skipped;
  const came = cameEnded + live.running.filter(isNew).length;
  return { rows: settled(feed.rows, live), isHeld, came, arrived, cameEnded, live };
}

/** Those that ended since the last look: the list grows at its head. */
function freshOf(before: Calls, { ended }: Calls): readonly CallRow[] {
  const [known] = before.ended;
  if (before.ended === ended) return [];
  const place = known ? ended.findIndex(({ id }) => id === known.id) : -1;
  return place < 0 ? ended : ended.slice(0, place);
}

/** How a call ended that was under way. In a flood it may have ended without our being told how. */
function settled(rows: readonly CallRow[], live: Calls): readonly CallRow[] {
  if (rows.every(({ state }) => state === "ended")) return rows;
  const now = new Map([...live.ended, ...live.running].map((row) => [row.id, row]));
  return rows.map((row) => (row.state === "ended" ? row : (now.get(row.id) ?? { ...row, state: "ended" })));
}

/** When those under way began, by the page's own clock, which need not be the hub's. */
export function beganTimes(
  known: ReadonlyMap<number, number>,
  running: readonly CallRow[],
  now: number,
): ReadonlyMap<number, number> {
  return new Map(running.map(({ id, ms }) => [id, known.get(id) ?? now - ms]));
}
