/** Which calls somebody looks for: those of one node, and those of several in one order. */
import type { Call } from "../../contract/call.ts";
import type { Principal } from "../../core/call.ts";
import type { CallBoard, DoorContext } from "../door.ts";
import { matcher } from "../rest/page.ts";

type Desk = NonNullable<DoorContext["cluster"]>;
type Wanted = Parameters<Desk["calls"]>[0];
type CallPlace = Parameters<Desk["call"]>[0];

/** As many as the journal keeps. */
const ALL = 1_000;
/** How many rows another node is asked for where no limit is said: all that ended, and as many under way. */
export const MOST_OF_A_NODE = 2_000;

export function foundCalls(calls: CallBoard, { search, state, most }: Wanted, principal: Principal) {
  const fits = matcher(search);
  const found = [...calls.running(principal), ...calls.since(0, ALL, principal)].filter(
    (call) =>
      (state === undefined || call.state === state) &&
      fits([call.tool, call.source, call.principal, call.door, call.outcome ?? undefined]),
  );
  return { rows: found.slice(0, most), total: found.length };
}

/** Those under way first, then the newest, by the clocks of their nodes. */
export function inOrder(rows: readonly Call[]): readonly Call[] {
  return rows.toSorted((one, other) => {
    const isOver = Number(one.state === "ended") - Number(other.state === "ended");
    return isOver || lastSign(other) - lastSign(one);
  });
}

/** When it ended, or began if it has not. */
function lastSign({ state, startedUtc, ms }: Call): number {
  return Date.parse(startedUtc) + (state === "ended" ? ms : 0);
}

/** `garage-17`; a number alone is one of the node that is asked. No call has the number NaN. */
export function placeIn(id: string, self: string): CallPlace {
  const [, node = self, number] = /^(?:(.+)-)?(\d+)$/.exec(id) ?? [];
  return { node, id: Number(number ?? Number.NaN) };
}
