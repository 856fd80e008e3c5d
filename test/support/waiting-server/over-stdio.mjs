/** The server on standard input and output: one connection, one message per line. */
import process from "node:process";
import { createInterface } from "node:readline";

export function serveLines(connect) {
  const connection = connect((message) => process.stdout.write(`${JSON.stringify(message)}\n`));
  createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
    .on("line", (line) => void connection.receive(JSON.parse(line)))
    .on("close", () => {
      connection.forget?.();
      process.exit(0);
    });
}
