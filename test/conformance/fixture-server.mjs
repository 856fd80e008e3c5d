/**
 * The conformance fixture as an MCP server on stdio, one JSON-RPC message per line. No dependencies.
 *
 * Usage: node fixture-server.mjs [2025]
 */
import process from "node:process";
import { createInterface } from "node:readline";
import { Fixture2025 } from "./fixture-2025.mjs";

const FORMS = { 2025: Fixture2025 };

const [form = "2025"] = process.argv.slice(2);
const Fixture = FORMS[form];
if (Fixture === undefined) throw new Error(`no such form: ${form}; there is ${Object.keys(FORMS).join(", ")}`);

const fixture = new Fixture((message) => process.stdout.write(`${JSON.stringify(message)}\n`));

createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  .on("line", (line) => void fixture.receive(line))
  .on("close", () => {
    fixture.close();
    process.exit(0);
  });
