/**
 * The official inspector's command line in each of its eras and over HTTP+SSE, with server-everything behind the hub: at
 * the server's own address and in the whole catalogue it prints what it prints without a hub.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { CAN_BE_ASKED } from "./support/answers.ts";
import { asModern, withoutMarks } from "./support/era-marks.ts";
import { HOUSE_TOOLS } from "./support/house.ts";
import { Inspector } from "./support/inspector.ts";
import { connectV1, type PeerClient } from "./support/official-clients.ts";
import { everything } from "./support/official-servers.ts";

const MODES: readonly (readonly [isModern: boolean, end: string, ...words: readonly string[]])[] = [
  [false, "/mcp", "--transport", "http", "--protocol-era", "legacy"],
  [true, "/mcp", "--transport", "http", "--protocol-era", "auto"],
  [true, "/mcp", "--transport", "http", "--protocol-era", "modern"],
  [false, "/sse", "--transport", "sse"],
];

describe("inspector --cli with server-everything behind the hub", () => {
  const temp = mkdtempSync(join(tmpdir(), "zaguan-inspector-"));
  const inspector = new Inspector(temp);
  let hub: SpawnedZaguan;
  let direct: PeerClient;
  /** What a server shows of itself depends on what its client declares: at its own address the inspector sees what it sees alone. */
  let alone: object[];
  before(async () => {
    const { command, args } = everything();
    ({ tools: alone } = await inspector.ask<{ tools: object[] }>(command, ...args, "--method", "tools/list"));
    hub = await spawnZaguan({ config: { mcpServers: { everything: everything() } } });
    direct = await connectV1(everything(), CAN_BE_ASKED);
  });
  after(async () => {
    await direct.close();
    await hub.stop();
    rmSync(temp, { recursive: true, force: true });
  });

  for (const [isModern, end, ...words] of MODES) {
    for (const place of ["", "/servers/everything"]) {
      describe(`${place}${end} ${words.slice(-2).join(" ")}`, () => {
        const ask = <Result>(...more: readonly string[]) =>
          inspector.ask<Result>(`${hub.url}${place}${end}`, ...words, ...more);

        test("tools/list", async () => {
          const { tools } = await ask<{ tools: object[] }>("--method", "tools/list");
          const own = place === "" ? await direct.tools() : alone;
          const shown = place === "" ? tools.slice(HOUSE_TOOLS.length) : tools;
          assert.deepEqual(shown, isModern ? own.map(asModern) : own);
        });

        test("tools/call", async () => {
          const call = ["--method", "tools/call", "--tool-name", "get-structured-content"];
          const result = await ask(...call, "--tool-arg", "location=Chicago");
          const expected = await direct.call("get-structured-content", { location: "Chicago" });
          assert.deepEqual(withoutMarks(result), expected);
        });

        test("resources/list", async () => {
          const result = await ask("--method", "resources/list");
          assert.deepEqual(withoutMarks(result), await direct.raw.listResources());
        });

        test("prompts/get", async () => {
          const prompt = ["--method", "prompts/get", "--prompt-name", "args-prompt"];
          const result = await ask(...prompt, "--prompt-args", "city=Cádiz");
          const expected = await direct.raw.getPrompt({ name: "args-prompt", arguments: { city: "Cádiz" } });
          assert.deepEqual(withoutMarks(result), expected);
        });
      });
    }
  }
});
