/** A detail of a failure in another language: `details.ts` has them side by side. What is not there is somebody's own words. */
import { DETAILS } from "./details.ts";

const PLACES = { en: 0, es: 1, fr: 2, zh: 3 } as const;
/** A detail may hold another; nobody needs more. */
const DEEPEST = 3;

type Row = (typeof DETAILS)[number];

const plain = new Map<string, Row>(DETAILS.filter(([en]) => !en.includes("{")).map((row) => [row[0], row]));
const patterns = DETAILS.filter(([en]) => en.includes("{")).map((row) => ({ row, pattern: patternOf(row[0]) }));

export function detailIn(language: keyof typeof PLACES, detail: string, depth = 1): string {
  if (language === "en" || depth > DEEPEST || detail.length > LONGEST) return detail;
  const known = plain.get(detail);
  if (known) return known[PLACES[language]];
  for (const { row, pattern } of patterns) {
    const groups = pattern.exec(detail)?.groups;
    if (!groups) continue;
    return row[PLACES[language]].replace(/\{(\w+)\}/g, (_, name: string) => {
      const tell = name === "attempts" ? attemptsIn : detailIn;
      return tell(language, groups[name] ?? "", depth + 1);
    });
  }
  return detail;
}

/** "transport: outcome", one after the other. */
function attemptsIn(language: keyof typeof PLACES, attempts: string, depth: number): string {
  const each = attempts.split("; ").map((attempt) => {
    const at = attempt.indexOf(": ") + 2;
    return `${attempt.slice(0, at)}${detailIn(language, attempt.slice(at), depth)}`;
  });
  return each.join("; ");
}

const LONGEST = 1_000;

/** Anchored, with one part for each placeholder. */
function patternOf(en: string): RegExp {
  const parts = en.split(/\{(\w+)\}/);
  const texts = parts.map((part, index) =>
    index % 2 === 0 ? part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : `(?<${part}>.+)`,
  );
  return new RegExp(`^${texts.join("")}$`, "s");
}
