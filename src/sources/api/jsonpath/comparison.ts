/** How RFC 9535 compares two values, of which each may be missing. Nothing here recurses: answers may be of any depth. */
import { isFields, plainNumber } from "../arguments.ts";
import type { Budget } from "./budget.ts";
import type { Comparator } from "./query.ts";

/** Undefined is a value that is not there; JSON has none. */
export function compare(left: unknown, is: Comparator, right: unknown, budget: Budget): boolean {
  switch (is) {
    case "==":
      return isSame(left, right, budget);
    case "!=":
      return !isSame(left, right, budget);
    case "<":
      return isLess(left, right, budget);
    case ">":
      return isLess(right, left, budget);
    case "<=":
      return isLess(left, right, budget) || isSame(left, right, budget);
    case ">=":
      return isLess(right, left, budget) || isSame(left, right, budget);
  }
}

function isSame(left: unknown, right: unknown, budget: Budget): boolean {
  const open: [unknown, unknown][] = [[left, right]];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    budget.spend(1);
    const [a, b] = [plainNumber(pair[0]), plainNumber(pair[1])];
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false;
      for (const [index, item] of a.entries()) open.push([item, b[index]]);
    } else if (isFields(a) && isFields(b)) {
      const keys = Object.keys(a);
      if (keys.length !== Object.keys(b).length || keys.some((key) => !Object.hasOwn(b, key))) return false;
      for (const key of keys) open.push([a[key], b[key]]);
    } else if (a !== b) return false;
  }
  return true;
}

/** Only numbers and texts have an order. */
function isLess(left: unknown, right: unknown, budget: Budget): boolean {
  const [a, b] = [plainNumber(left), plainNumber(right)];
  if (typeof a === "number" && typeof b === "number") return a < b;
  if (typeof a !== "string" || typeof b !== "string") return false;
  budget.spend(Math.min(a.length, b.length) >> 4);
  return inCodePoints(a, b) < 0;
}

/** JavaScript compares halves of characters, which puts U+FFFD behind U+10000. */
function inCodePoints(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  // In the middle of a character, whose first half they share, the second half decides as well.
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}
