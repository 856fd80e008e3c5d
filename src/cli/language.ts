/** The language of a command: `--lang`, then ZAGUAN_LANG, else unknown. Found before parsing, whose errors need it. */
import { isLanguage, LANGUAGES, type Language } from "../messages/catalogue.ts";
import { UsageError } from "./failures.ts";
import type { World } from "./world.ts";

/** Throws a UsageError if somebody asked for a language that we do not speak. */
export function languageAsked(argv: readonly string[], env: World["env"]): Language | undefined {
  const flag = lastFlag(argv);
  if (flag !== undefined) return checked("--lang", flag);
  const variable = env["ZAGUAN_LANG"];
  return variable ? checked("ZAGUAN_LANG", variable) : undefined;
}

function lastFlag(argv: readonly string[]): string | undefined {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  const given = words.flatMap((word, index) => {
    if (word.startsWith("--lang=")) return [word.slice("--lang=".length)];
    const value = word === "--lang" ? words[index + 1] : undefined;
    return value === undefined ? [] : [value];
  });
  return given.at(-1);
}

function checked(option: string, word: string): Language {
  if (isLanguage(word)) return word;
  throw new UsageError("cli.usage.language", { option, word, choices: LANGUAGES.join(", ") });
}
