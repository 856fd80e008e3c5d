/**
 * Commands of a document, with what it says that they print: a block of `sh`, and the block behind it. What is run by hand
 * is written as `console` and passed over.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export interface ShownCommand {
  readonly script: string;
  /** Undefined where nothing is shown. */
  readonly printed: string | undefined;
  /** Its first line, to name it by. */
  readonly name: string;
}

interface Block {
  readonly language: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export function commandsIn(file: string): readonly ShownCommand[] {
  const document = readFileSync(file, "utf8");
  const blocks = blocksIn(document);
  return blocks.flatMap((block, index) => {
    if (block.language !== "sh") return [];
    const next = blocks[index + 1];
    const isBehind = next !== undefined && document.slice(block.to, next.from).trim() === "";
    const printed = isBehind && next.language !== "sh" ? next.text : undefined;
    return [{ script: block.text, printed, name: block.text.trim().split("\n", 1)[0] ?? "" }];
  });
}

/** The first block of JSON that has this in it. */
export function jsonIn(file: string, needle: string): object {
  return JSON.parse(blockIn(file, "json", needle)) as object;
}

/** The first block of that language that has this in it. */
export function blockIn(file: string, language: string, needle: string): string {
  const isIt = (block: Block): boolean => block.language === language && block.text.includes(needle);
  return (
    blocksIn(readFileSync(file, "utf8")).find(isIt)?.text ?? assert.fail(`no ${language} with ${needle} in ${file}`)
  );
}

/** `…` stands for anything. White space does not count: long lines are broken for the reader. */
export function assertPrinted(actual: string, printed: string): void {
  const parts = bare(printed).split("…").map(escaped);
  assert.match(bare(actual), new RegExp(`^${parts.join("[\\s\\S]*?")}$`), `it printed:\n${actual.slice(0, 2_000)}`);
}

function blocksIn(document: string): readonly Block[] {
  return [...document.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [whole, language = "", text = ""] = match;
    return { language, text, from: match.index, to: match.index + whole.length };
  });
}

function bare(text: string): string {
  return text.replace(/\s+/g, "");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
