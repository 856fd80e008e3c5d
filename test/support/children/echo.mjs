// Obeys: repeats every line, answers a few questions about itself, and leaves at the end of its input.
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";

const answers = {
  env: () => JSON.stringify(process.env),
  cwd: () => process.cwd(),
  fds: () => JSON.stringify(readdirSync("/proc/self/fd")),
};

for await (const line of createInterface({ input: process.stdin })) {
  const [word, rest] = line.split(" ");
  if (word === "exit") process.exit(Number(rest));
  if (word === "log") process.stderr.write(`${line.slice(4)}\n`);
  else process.stdout.write(`${answers[word]?.() ?? line}\n`);
}
