/**
 * A recurrence rule of RFC 5545 §3.3.10 as values. Understood are days, weeks, months and years with INTERVAL, COUNT, UNTIL,
 * BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS and WKST: what calendars on desks and telephones write. Others are not guessed at.
 */

export type Frequency = "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";

interface RuleDay {
  /** Monday is 0. */
  readonly weekday: number;
  /** Which one of its month or year, from the end if negative; 0 for each of them. */
  readonly nth: number;
}

export interface Rule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count?: number | undefined;
  /** As it is written: "20261231T235959Z" or "20261231". */
  readonly until?: string | undefined;
  readonly days: readonly RuleDay[];
  readonly monthDays: readonly number[];
  readonly months: readonly number[];
  readonly positions: readonly number[];
  readonly weekStart: number;
}

const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const FREQUENCIES: readonly string[] = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] satisfies Frequency[];
const KNOWN = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "WKST"];
const MOST_CHARACTERS = 500;
/** The largest INTERVAL and COUNT. */
const MOST = 10_000;

/** Undefined where it is none, or has parts that are not understood. */
export function parseRule(text: string): Rule | undefined {
  const parts = partsIn(text);
  const frequency = parts?.get("FREQ") ?? "";
  if (!parts || !FREQUENCIES.includes(frequency)) return undefined;
  const interval = numberIn(parts.get("INTERVAL") ?? "1", 1, MOST);
  const count = parts.has("COUNT") ? numberIn(parts.get("COUNT") ?? "", 1, MOST) : 0;
  const days = listIn(parts.get("BYDAY"), dayIn);
  const monthDays = listIn(parts.get("BYMONTHDAY"), (each) => signedIn(each, 31));
  const months = listIn(parts.get("BYMONTH"), (each) => numberIn(each, 1, 12));
  const positions = listIn(parts.get("BYSETPOS"), (each) => signedIn(each, 366));
  const weekStart = WEEKDAYS.indexOf(parts.get("WKST") ?? "MO");
  if (interval === undefined || count === undefined || weekStart < 0) return undefined;
  if (!days || !monthDays || !months || !positions) return undefined;
  const lists = { days, monthDays, months, positions, weekStart };
  const ends = { count: count || undefined, until: parts.get("UNTIL") };
  return sensible({ frequency: frequency as Frequency, interval, ...ends, ...lists });
}

/** What RFC 5545 forbids means nothing: "the second Monday" of a week, or the 31st of one. */
function sensible(rule: Rule): Rule | undefined {
  const isNumbered = rule.days.some(({ nth }) => nth !== 0);
  const isShort = rule.frequency === "DAILY" || rule.frequency === "WEEKLY";
  if (isShort && isNumbered) return undefined;
  if (rule.frequency === "WEEKLY" && rule.monthDays.length > 0) return undefined;
  // Numbered weekdays of a year with BYMONTHDAY and without BYMONTH are not supported.
  const isTwofold = rule.frequency === "YEARLY" && rule.months.length === 0 && rule.monthDays.length > 0;
  return isTwofold && isNumbered ? undefined : rule;
}

function partsIn(text: string): Map<string, string> | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const pairs = text
    .trim()
    .toUpperCase()
    .split(";")
    .filter((part) => part !== "")
    .map((part) => part.split("=", 2).map((half) => half.trim()));
  const parts = new Map(pairs.map(([name = "", value = ""]) => [name, value]));
  return parts.size === pairs.length && [...parts.keys()].every((name) => KNOWN.includes(name)) ? parts : undefined;
}

function listIn<T>(text: string | undefined, read: (each: string) => T | undefined): T[] | undefined {
  if (text === undefined) return [];
  const values = text.split(",").map((each) => read(each.trim()));
  return values.includes(undefined) ? undefined : (values as T[]);
}

function dayIn(text: string): RuleDay | undefined {
  const match = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(text);
  if (!match) return undefined;
  const nth = match[1] === undefined ? 0 : signedIn(match[1], 53);
  return nth === undefined ? undefined : { weekday: WEEKDAYS.indexOf(match[2] ?? ""), nth };
}

/** Counted from the end if negative; there is no zeroth. */
function signedIn(text: string, most: number): number | undefined {
  if (!/^[+-]?\d{1,3}$/.test(text)) return undefined;
  const value = Number(text);
  return value !== 0 && Math.abs(value) <= most ? value : undefined;
}

function numberIn(text: string, least: number, most: number): number | undefined {
  if (!/^\d{1,9}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= least && value <= most ? value : undefined;
}
