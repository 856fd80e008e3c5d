/** Where in a module something went wrong, and what, as its author wants to read it. */
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";

export interface Place {
  /** Absolute. */
  readonly file: string;
  readonly line?: number | undefined;
}

/** The first place in a stack that is in what this loading read. */
export function placeInStack(stack: unknown, number: number): Place | undefined {
  if (typeof stack !== "string") return undefined;
  const [, url, line] = new RegExp(`(file://[^\\s?]+)\\?tools=${number}:(\\d+)`).exec(stack) ?? [];
  return url === undefined ? undefined : { file: fileURLToPath(url), line: Number(line) };
}

/** The line that names something, for failures that only tell its name. */
export function placeOfText(file: string, text: string): Place {
  const index = read(file)
    .split("\n")
    .findIndex((line) => line.includes(`"${text}"`) || line.includes(`'${text}'`));
  return index < 0 ? { file } : { file, line: index + 1 };
}

/** V8 keeps to itself where JavaScript is no JavaScript; the parser for TypeScript tells. */
export function placeOfSyntaxError(file: string): Place {
  const found = parseFailure(read(file));
  const [, line] = /^[^\n]*:(\d+)\n/.exec(found) ?? [];
  return line === undefined ? { file } : { file, line: Number(line) };
}

function parseFailure(source: string): string {
  const { emitWarning } = process;
  // It announces itself as an experiment, to people who did not ask for one.
  process.emitWarning = () => {};
  try {
    stripTypeScriptTypes(source, { sourceUrl: "file:///module" });
    return "";
  } catch (error) {
    return error instanceof Error ? String(error.stack) : "";
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Without the numbers that only we put there. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replaceAll(/\?tools=\d+/g, "");
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
