/** When a series ends, found out once when it is taken up: the last start that COUNT and UNTIL let it have. */

import { parseIso } from "../time/iso.ts";
import { DAY_MS, SECOND_MS, type Wall } from "../time/wall.ts";
import type { Zone } from "../time/zone.ts";
import type { Budget } from "./budget.ts";
import { expand } from "./expand.ts";
import type { Rule } from "./rule.ts";

/** Undefined where it has no end; "unknown" where it cannot be told, or not within the budget. */
export function lastOf(rule: Rule, start: Wall, zone: Zone, budget: Budget): Wall | undefined | "unknown" {
  const until = rule.until === undefined ? undefined : untilIn(rule.until, zone);
  if (rule.until !== undefined && until === undefined) return "unknown";
  if (rule.count === undefined) return until;
  const counted = countedTo(rule, start, rule.count, budget);
  return counted === "unknown" || until === undefined ? counted : Math.min(counted, until);
}

function countedTo(rule: Rule, start: Wall, count: number, budget: Budget): Wall | "unknown" {
  let [last, found] = [start, 0];
  for (const wall of expand(rule, start, { from: start, to: Infinity }, budget)) {
    last = wall;
    if (++found === count) return last;
  }
  return budget.isSpent ? "unknown" : last;
}

/** A day alone counts in full. */
function untilIn(text: string, zone: Zone): Wall | undefined {
  const written = parseIso(text);
  if (!written) return undefined;
  if (written.dateOnly) return written.wall + DAY_MS - SECOND_MS;
  return written.offsetMs === undefined ? written.wall : zone.wallAt(written.wall - written.offsetMs);
}
