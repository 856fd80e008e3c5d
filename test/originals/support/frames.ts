/**
 * What originals that no registry has said on the wire, recorded from them once: one JSON object a line, the first of
 * which names the original and its commit. What they answered keeps its characters; only the id is the asker's.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export function framesFile(name: string): string {
  return fileURLToPath(new URL(`../frames/${name}.jsonl`, import.meta.url));
}

export function readFrames<Row>(name: string): Row[] {
  const [, ...rows] = readFileSync(framesFile(name), "utf8").trim().split("\n");
  return rows.map((row) => JSON.parse(row) as Row);
}

/** The answer under another id than it was recorded with. */
export function answerWithId(answer: string, recorded: unknown, id: unknown): string {
  return answer.replace(`"id": ${JSON.stringify(recorded)}`, () => `"id": ${JSON.stringify(id)}`);
}
