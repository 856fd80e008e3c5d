/**
 * Patterns as JSON Schema wants them: ECMAScript with the Unicode flag, which clients compile them with. Many are written
 * for other engines: what means the same in ours is rewritten, anything else is left out, since it would make the whole
 * schema unreadable for them.
 */

import type { Form } from "./plain.ts";

const LONGEST = 5_000;
const MUST_BE_ESCAPED = /[\^$\\.*+?()[\]{}|/]/;

/** Undefined where it cannot be said. */
export function fitPattern(written: string): string | undefined {
  if (written.length > LONGEST) return undefined;
  if (isValid(written)) return written;
  const rewritten = rewrite(written);
  return isValid(rewritten) ? rewritten : undefined;
}

/** Of members whose names are patterns. What only a broken one speaks of may be anything. */
export function withFitNames(values: Form): (readonly [string, unknown])[] {
  return Object.entries(values).flatMap(([pattern, raw]) => {
    const fit = fitPattern(pattern);
    return fit === undefined ? [] : [[fit, raw] as const];
  });
}

function isValid(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

/** Without escapes that nothing needs (`\_`), and with a hyphen behind a class that is meant as a hyphen (`[\w-.]`). */
function rewrite(pattern: string): string {
  let isInSet = false;
  return pattern.replace(/\\(.)|[[\]]|-/gs, (whole, escaped: string | undefined, at: number) => {
    if (whole === "[") isInSet = true;
    if (whole === "]") isInSet = false;
    if (whole === "-") return isInSet && isBesideClass(pattern, at) ? "\\-" : whole;
    if (escaped === undefined || /[A-Za-z0-9]/.test(escaped) || MUST_BE_ESCAPED.test(escaped)) return whole;
    return escaped === "-" && isInSet ? whole : escaped;
  });
}

function isBesideClass(pattern: string, at: number): boolean {
  return (
    /\\[dDsSwW]$/.test(pattern.slice(Math.max(0, at - 2), at)) || /^\\[dDsSwW]/.test(pattern.slice(at + 1, at + 3))
  );
}
