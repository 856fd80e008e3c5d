/**
 * The conformance fixture as an MCP server: on stdio, one JSON-RPC message per line, in the form of either revision; or
 * over HTTP, in the form of 2026 only. No dependencies.
 *
 * Usage: node fixture-server.mjs [2025 | 2026]
 *        node fixture-server.mjs --http PORT
 */
import process from "node:process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Fixture2025 } from "./fixture-2025.mjs";
import { Fixture2026 } from "./fixture-2026.mjs";
import { serveHttp } from "./fixture-http.mjs";

const FORMS = { 2025: Fixture2025, 2026: Fixture2026 };

const { values, positionals } = parseArgs({ options: { http: { type: "string" } }, allowPositionals: true });
if (values.http === undefined) serveLines(positionals[0] ?? "2025");
else console.log(await serveHttp(Number(values.http)));

function serveLines(form) {
  const Fixture = FORMS[form];
  if (Fixture === undefined) throw new Error(`no such form: ${form}; there is ${Object.keys(FORMS).join(", ")}`);
  const fixture = new Fixture((message) => process.stdout.write(`${JSON.stringify(message)}\n`));
  createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
    .on("line", (line) => void fixture.receive(line))
    .on("close", () => {
      fixture.close();
      process.exit(0);
    });
}
