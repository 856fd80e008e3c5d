/** Numbers, times and sizes as the reader's language writes them. */
import { language } from "./words.ts";

/** Formats by language: to make one costs as much as to use it a hundred times, and a live list uses thousands. */
const numberFormats = new Map<string, Intl.NumberFormat>();
const clockFormats = new Map<string, Intl.DateTimeFormat>();
const startFormats = new Map<string, Intl.DateTimeFormat>();

/** The reader's own region where the browser names one of this language: it decides between 13:00 and 1 PM. */
export function locale(): string {
  const spoken = language.get();
  return navigator.languages.find((one) => one === spoken || one.startsWith(`${spoken}-`)) ?? spoken;
}

export function number(value: number, digits = 0): string {
  const make = () => new Intl.NumberFormat(locale(), { maximumFractionDigits: digits });
  return kept(numberFormats, `${language.get()} ${digits}`, make).format(value);
}

/** A time span: as many digits as say something. */
export function span(ms: number): string {
  if (ms < 1) return `${number(ms, 2)} ms`;
  if (ms < 1_000) return `${number(ms, ms < 10 ? 1 : 0)} ms`;
  if (ms < 60_000) return `${number(ms / 1_000, 1)} s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.floor((ms % 60_000) / 1_000);
  if (minutes < 10 && seconds > 0) return `${minutes} min ${seconds} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function clockTime(utc: string): string {
  const make = () => new Intl.DateTimeFormat(locale(), { timeStyle: "medium" });
  return kept(clockFormats, language.get(), make).format(new Date(utc));
}

/** The time of day, with the date where that is another day than today. */
export function startTime(utc: string, now: Date = new Date()): string {
  const moment = new Date(utc);
  if (moment.toDateString() === now.toDateString()) return clockTime(utc);
  const time = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
  const make = () => new Intl.DateTimeFormat(locale(), { day: "numeric", month: "short", ...time });
  return kept(startFormats, language.get(), make).format(moment);
}

function kept<Format>(formats: Map<string, Format>, key: string, make: () => Format): Format {
  const known = formats.get(key);
  if (known) return known;
  const format = make();
  formats.set(key, format);
  return format;
}

export function dateTime(utc: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(utc));
}

const STEPS: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
];

/** "5 minutes ago". */
export function ago(utc: string, now: number = Date.now()): string {
  const ms = Date.parse(utc) - now;
  const [size, unit] = STEPS.find(([size]) => Math.abs(ms) >= size) ?? [1_000, "second"];
  return new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(Math.round(ms / size), unit);
}

export function bytes(value: number): string {
  if (value < 1_000) return `${number(value)} B`;
  if (value < 1_000_000) return `${number(value / 1_000, 1)} kB`;
  return `${number(value / 1_000_000, 1)} MB`;
}
