/**
 * JSON without losing a digit: a number that no browser can hold (an id of twenty digits) stays as it was written, in what
 * is typed, sent and shown. Where the browser is too old for that, it is the nearest number, as everywhere else.
 */

/** What `JSON.rawJSON` makes: written out as it is. */
interface ExactNumber {
  readonly rawJSON: string;
}

interface ExactJson {
  readonly rawJSON?: (text: string) => ExactNumber;
  readonly isRawJSON?: (value: unknown) => boolean;
  parse(
    text: string,
    revive: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
  ): unknown;
}

const json: ExactJson = JSON as ExactJson;
/** A double holds every number of at most so many digits exactly. */
const SURE_DIGITS = 15;

/** Throws a SyntaxError where it is no JSON. */
export function readJson(text: string): unknown {
  if (!json.rawJSON || !/\d{16}|\d\.\d{15}|\de/i.test(text)) return JSON.parse(text);
  return json.parse(text, (_, value, context) => {
    return typeof value === "number" && isLossy(value, context?.source) ? json.rawJSON?.(context?.source ?? "") : value;
  });
}

/** The digits of a number that is kept as it was written; undefined of everything else. */
export function exactDigits(value: unknown): string | undefined {
  return json.isRawJSON?.(value) ? (value as ExactNumber).rawJSON : undefined;
}

/** A number as it was typed; undefined where that is none. */
export function readNumber(text: string): number | ExactNumber | undefined {
  const trimmed = text.trim();
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(trimmed)) return undefined;
  return readJson(trimmed) as number | ExactNumber;
}

/** The value as a double, for comparisons; the nearest one for a number that is kept by its digits. */
export function nearNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  const digits = exactDigits(value);
  return digits === undefined ? undefined : Number(digits);
}

function isLossy(value: number, source: string | undefined): boolean {
  if (source === undefined || String(value) === source) return false;
  const digits = source.replace(/e.*$/i, "").replace(/[-.]/g, "").replace(/^0+/, "");
  return !Number.isFinite(value) || digits.length > SURE_DIGITS;
}
