/**
 * The days on which a rule falls, period after period: days, weeks, months or years. It begins near the time that is asked
 * about, so that a birthday of 1604 costs no more than one of this year. COUNT and UNTIL are not looked at: `last.ts` has
 * made a last day of them.
 */
import { DAY_MS, dayNumber, daysIn, partsOf, type Wall, type WallRange, weekdayOf } from "../time/wall.ts";
import type { Frequency, Rule } from "./rule.ts";

const LAST_DAY = dayNumber(9999, 12, 31);
/** About how many days are looked at in one period. */
const COST: Readonly<Record<Frequency, number>> = { DAILY: 1, WEEKLY: 7, MONTHLY: 31, YEARLY: 31 };

/** From `from` to `to`, both with their whole period, in order; ends early where the calendar or the budget does. */
export function* expand(rule: Rule, start: Wall, range: WallRange, budget: Budget): Generator<Wall> {
  const first = Math.floor(start / DAY_MS);
  const timeOfDay = start - first * DAY_MS;
  const end = Math.min(LAST_DAY, Math.floor(range.to / DAY_MS));
  const period = periodsOf(rule, first);
  for (let index = period.indexOf(Math.floor(Math.max(start, range.from) / DAY_MS)); ; index++) {
    if (period.firstDay(index) > end || !budget.spend(COST[rule.frequency])) return;
    for (const day of chosen(rule, period.days(index))) {
      if (day >= first && day <= LAST_DAY) yield day * DAY_MS + timeOfDay;
    }
  }
}

interface Periods {
  /** In which period a day lies. */
  indexOf(day: number): number;
  firstDay(index: number): number;
  /** Days on which the rule falls, in order. */
  days(index: number): number[];
}

function periodsOf(rule: Rule, first: number): Periods {
  switch (rule.frequency) {
    case "DAILY":
      return days(rule, first);
    case "WEEKLY":
      return weeks(rule, first);
    case "MONTHLY":
      return months(rule, first);
    case "YEARLY":
      return years(rule, first);
  }
}

function days(rule: Rule, first: number): Periods {
  const dayAt = (index: number) => first + index * rule.interval;
  return {
    indexOf: (day) => Math.floor((day - first) / rule.interval),
    firstDay: dayAt,
    days: (index) => [dayAt(index)].filter((day) => isOnWeekday(rule, day) && isInMonth(rule, day)),
  };
}

function weeks(rule: Rule, first: number): Periods {
  const weekday = weekdayOf(first * DAY_MS);
  const firstWeek = first - ((weekday - rule.weekStart + 7) % 7);
  const weekAt = (index: number) => firstWeek + index * 7 * rule.interval;
  const isOn = (day: number) => (rule.days.length > 0 ? isOnWeekday(rule, day) : weekdayOf(day * DAY_MS) === weekday);
  return {
    indexOf: (day) => Math.floor((day - firstWeek) / (7 * rule.interval)),
    firstDay: weekAt,
    days: (index) => span(weekAt(index), 7).filter((day) => isOn(day) && isInMonth(rule, day)),
  };
}

function months(rule: Rule, first: number): Periods {
  const { year, month, day } = partsOf(first * DAY_MS);
  const zero = year * 12 + month - 1;
  const monthAt = (index: number) => {
    const number = zero + index * rule.interval;
    return { year: Math.floor(number / 12), month: (number % 12) + 1 };
  };
  return {
    indexOf: (at) => {
      const parts = partsOf(at * DAY_MS);
      return Math.floor((parts.year * 12 + parts.month - 1 - zero) / rule.interval);
    },
    firstDay: (index) => dayNumber(monthAt(index).year, monthAt(index).month, 1),
    days: (index) => {
      const at = monthAt(index);
      if (rule.months.length > 0 && !rule.months.includes(at.month)) return [];
      return daysOfMonth(rule, at.year, at.month, day);
    },
  };
}

function years(rule: Rule, first: number): Periods {
  const start = partsOf(first * DAY_MS);
  const yearAt = (index: number) => start.year + index * rule.interval;
  return {
    indexOf: (day) => Math.floor((partsOf(day * DAY_MS).year - start.year) / rule.interval),
    firstDay: (index) => dayNumber(yearAt(index), 1, 1),
    days: (index) => daysOfYear(rule, yearAt(index), start),
  };
}

function daysOfYear(rule: Rule, year: number, start: { month: number; day: number }): number[] {
  if (rule.months.length > 0 || rule.monthDays.length > 0) {
    const all = rule.months.length > 0 ? rule.months : [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    return sorted(all.flatMap((month) => daysOfMonth(rule, year, month, start.day)));
  }
  if (rule.days.length === 0) {
    return start.day <= daysIn(year, start.month) ? [dayNumber(year, start.month, start.day)] : [];
  }
  const first = dayNumber(year, 1, 1);
  return onWeekdays(rule, first, dayNumber(year + 1, 1, 1) - first);
}

/** By the days of the month, by weekdays, by both at once, or as the first of all was. */
function daysOfMonth(rule: Rule, year: number, month: number, startDay: number): number[] {
  const first = dayNumber(year, month, 1);
  const length = daysIn(year, month);
  if (rule.monthDays.length === 0 && rule.days.length > 0) return onWeekdays(rule, first, length);
  const numbers = rule.monthDays.length > 0 ? rule.monthDays : [startDay];
  const days = numbers
    .map((number) => (number > 0 ? number : length + 1 + number))
    .filter((number) => number >= 1 && number <= length)
    .map((number) => first + number - 1);
  if (rule.days.length === 0) return sorted(days);
  const also = new Set(onWeekdays(rule, first, length));
  return sorted(days.filter((day) => also.has(day)));
}

function onWeekdays(rule: Rule, first: number, length: number): number[] {
  const chosenDays = rule.days.flatMap(({ weekday, nth }) => {
    const all = span(first, length).filter((day) => weekdayOf(day * DAY_MS) === weekday);
    if (nth === 0) return all;
    return all.at(nth > 0 ? nth - 1 : nth) ?? [];
  });
  return sorted(chosenDays);
}

/** BYSETPOS: some of a period's days by their place among them. */
function chosen(rule: Rule, days: readonly number[]): readonly number[] {
  if (rule.positions.length === 0) return days;
  return sorted(rule.positions.flatMap((position) => days.at(position > 0 ? position - 1 : position) ?? []));
}

function isOnWeekday({ days }: Rule, day: number): boolean {
  return days.length === 0 || days.some(({ weekday }) => weekday === weekdayOf(day * DAY_MS));
}

/** For days and weeks, months and days of the month only leave some out. */
function isInMonth({ months, monthDays }: Rule, at: number): boolean {
  if (months.length === 0 && monthDays.length === 0) return true;
  const { year, month, day } = partsOf(at * DAY_MS);
  if (months.length > 0 && !months.includes(month)) return false;
  return (
    monthDays.length === 0 || monthDays.some((number) => number === day || number === day - daysIn(year, month) - 1)
  );
}

function span(first: number, length: number): number[] {
  return Array.from({ length }, (_, index) => first + index);
}

/** In order, each once. */
function sorted(days: readonly number[]): number[] {
  return [...new Set(days)].sort((a, b) => a - b);
}

/** How much counting one question may cost: a calendar of strangers may hold thousands of rules that hardly ever fit. */
export class Budget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** Tells whether there was enough. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }
}
