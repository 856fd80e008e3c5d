/**
 * A line program with one tool that answers (`who`: its process id) and one that never does (`wait`): for tests that end
 * it in the middle of a call. It adds its process id to the file that is its argument when a `wait` has arrived.
 */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const tools = ["who", "wait"].map((name) => ({
  name,
  description: name,
  input_schema: { type: "object", properties: {}, required: [] },
  output_schema: { type: "object", properties: {} },
}));
print({ type: "ready", version: "0.1.0", tools });

for await (const line of createInterface({ input: process.stdin })) {
  const { type, id, tool } = JSON.parse(line);
  if (type === "quit") break;
  if (tool === "wait") appendFileSync(process.argv[2], `${process.pid}\n`);
  else print({ type: "result", id, ok: true, result: { pid: process.pid } });
}

function print(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
