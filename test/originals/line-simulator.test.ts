/**
 * The Python simulator of seed 000, recorded: each of its own tests put to our `simulate --mcp`, which has to answer as it
 * did; and the original as a source behind the hub.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { SIX_TOOLS, Simulators } from "../support/seed-000.ts";
import { type OpenHub, openHub, reasonIn, untilListed } from "../support/seed-002.ts";
import { framesFile, readFrames } from "./support/frames.ts";

interface OwnTest {
  readonly test: string;
  readonly house: object;
  readonly lines: readonly string[];
  readonly answers: readonly string[];
  readonly code: number;
}

const [first, ...tests] = readFrames<OwnTest & { readonly prints: readonly string[] }>("mcp-home-simulator");
/** What Python says of JSON that it cannot read is Python's own. */
const PARSER_WORDS = /(Error al parsear JSON: ).*/;

describe("our simulator in the place of the Python original", () => {
  const simulators = new Simulators();
  after(() => simulators.close());

  it("is ready with the same version and tools", async () => {
    const ours = JSON.parse(await simulators.start().next());
    const theirs = JSON.parse(first?.prints.at(-1) ?? "");
    assert.deepEqual([ours.type, ours.version], [theirs.type, theirs.version]);
    assert.deepEqual(ours.tools.map(shapeOf), theirs.tools.map(shapeOf));
  });

  for (const { test, house, lines, answers, code } of tests) {
    it(`answers as it did: ${test}`, async () => {
      const folder = simulators.newFolder();
      writeFileSync(join(folder, "config.json"), JSON.stringify(house));
      const session = await simulators.ready({ folder, args: ["simulate", "--mcp", "--config", "config.json"] });
      for (const line of lines) session.write(`${line}\n`);
      const said: string[] = [];
      while (said.length < answers.length) said.push(await session.next());
      assert.deepEqual(said.map(meant), answers.map(meant));
      assert.deepEqual(await session.end(), { code, rest: [], stderr: "" });
    });
  }
});

describe("the Python original behind the hub", () => {
  let house: OpenHub;
  before(async () => {
    const program = fileURLToPath(new URL("support/line-original.mjs", import.meta.url));
    const python = { type: "line", command: process.execPath, args: [program, framesFile("mcp-home-simulator")] };
    house = await openHub({ mcpServers: { python }, devices: { house: false } });
    await untilListed(house.http, "get_presence");
  });
  after(() => house?.hub.stop());

  it("has its tools listed, though it prints a warning first", async () => {
    assert.deepEqual(
      await house.http.names("/mcp"),
      SIX_TOOLS.map(({ name }) => name),
    );
  });

  it("is called, and its refusals are told in its words", async () => {
    assert.equal(await house.http.textOf("/mcp", "set_light_state", { name: "salon", on: true }), '{"ok": true}');
    assert.equal(await house.http.textOf("/mcp", "list_lights_on", {}), '{"on": ["salon"]}');
    const refused = await house.http.call("/mcp", "set_light_state", { name: "inexistente", on: true });
    assert.equal(reasonIn(refused), "Luz 'inexistente' no encontrada");
  });
});

function meant(line: string): unknown {
  return JSON.parse(line.replace(PARSER_WORDS, '$1…"}'));
}

/** What is said of its properties to people is each one's own. */
function shapeOf(tool: { readonly name: string; readonly input_schema: Readonly<Record<string, object>> }): object {
  const { type, properties = {}, required } = tool.input_schema;
  return { name: tool.name, type, properties: Object.keys(properties), required };
}
