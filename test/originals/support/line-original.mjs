/**
 * The Python original of seed 000 from what was recorded of it: its first lines, then its own answer to each call that
 * it was asked in the recording, under the id of whoever asks. `line-original.mjs FILE`
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";

const [, { prints }, ...tests] = readFileSync(process.argv[2], "utf8")
  .trim()
  .split("\n")
  .map((row) => JSON.parse(row));
// Of several answers to one call the first counts.
const answers = new Map(
  tests.flatMap(({ lines, answers: said }) => lines.map((line, place) => [keyOf(line), said[place]])).toReversed(),
);

for (const line of prints) process.stdout.write(`${line}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const { type, id } = JSON.parse(line);
  if (type === "quit") break;
  process.stdout.write(`${answers.get(keyOf(line)).replace(/"id": [^,]+/, () => `"id": ${JSON.stringify(id)}`)}\n`);
}
process.exit();

function keyOf(line) {
  if (!line.startsWith("{")) return line;
  const { type, tool, args } = JSON.parse(line);
  return JSON.stringify([type, tool, Object.entries(args ?? {}).toSorted()]);
}
