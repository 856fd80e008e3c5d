/** A detail of a failure in another language: `en/details.ts` lists them. What is not there is somebody's own words. */
import { DETAILS, type Detail } from "./en/details.ts";
import { type Language, TRANSLATIONS } from "./translations.ts";

/** A detail may hold another; nobody needs more. */
const DEEPEST = 3;

let patterns: readonly { readonly en: Detail; readonly pattern: RegExp }[] | undefined;

export function detailIn(language: Language, detail: string, depth = 1): string {
  const { details } = TRANSLATIONS[language];
  if (!details || depth > DEEPEST || detail.length > LONGEST) return detail;
  if (Object.hasOwn(details, detail)) return details[detail as Detail];
  // Made for the first who reads another language than English.
  patterns ??= DETAILS.filter((en) => en.includes("{")).map((en) => ({ en, pattern: patternOf(en) }));
  for (const { en, pattern } of patterns) {
    const groups = pattern.exec(detail)?.groups;
    if (!groups) continue;
    return details[en].replace(/\{(\w+)\}/g, (_, name: string) => {
      const tell = name === "attempts" ? attemptsIn : detailIn;
      return tell(language, groups[name] ?? "", depth + 1);
    });
  }
  return detail;
}

/** "transport: outcome", one after the other. */
function attemptsIn(language: Language, attempts: string, depth: number): string {
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
