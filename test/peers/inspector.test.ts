/** The official inspector's command line, over HTTP and over stdio: what a newcomer would try first. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type SpawnedZaguan, spawnZaguan, zaguanCommand } from "../support/spawn-zaguan.ts";
import { assertSwitched, HOUSE_TOOLS } from "./support/house.ts";
import { Inspector, resultOf } from "./support/inspector.ts";

const CALL = ["--method", "tools/call"];
const SWITCH = [...CALL, "--tool-name", "set_light_state", "--tool-arg", "name=salon", "--tool-arg", "on=true"];
const TOOL_ERROR = 5;

const temp = mkdtempSync(join(tmpdir(), "zaguan-inspector-"));
const inspector = new Inspector(temp);
after(() => rmSync(temp, { recursive: true, force: true }));

describe("inspector --cli over HTTP", () => {
  let hub: SpawnedZaguan;
  before(async () => {
    hub = await spawnZaguan();
  });
  after(() => hub.stop());

  speaksWithInspector(() => [`${hub.url}/mcp`, "--transport", "http"]);

  for (const era of ["auto", "modern"]) {
    describe(`--protocol-era ${era}`, () => {
      speaksWithInspector(() => [`${hub.url}/mcp`, "--transport", "http", "--protocol-era", era], "2026-07-28");
    });
  }
});

describe("inspector --cli over stdio", () => {
  // Not `--config`, which the inspector would take for its own; our file would be looked for in the working folder.
  const data = join(temp, "data");
  const { command, args } = zaguanCommand("stdio", "--data", data);

  speaksWithInspector(() => [command, ...args]);

  test("the inspector hands our options on", () => assert.ok(existsSync(data)));
});

interface Initialized {
  readonly protocolVersion: string;
  readonly serverInfo: { readonly name: string };
  readonly capabilities: { readonly tools?: { readonly listChanged?: boolean } };
}

function speaksWithInspector(target: () => readonly string[], version = "2025-11-25"): void {
  const ask = <Result>(...words: readonly string[]) => inspector.ask<Result>(...target(), ...words);

  test("initialize", async () => {
    const { protocolVersion, serverInfo, capabilities } = await ask<Initialized>("--method", "initialize");
    assert.equal(protocolVersion, version);
    assert.equal(serverInfo.name, "zaguan");
    assert.equal(capabilities.tools?.listChanged, true);
  });

  test("tools/list shows the house", async () => {
    const { tools } = await ask<{ tools: { name: string }[] }>("--method", "tools/list");
    assert.deepEqual(
      tools.map(({ name }) => name),
      HOUSE_TOOLS,
    );
  });

  test("tools/list finds no schema that other clients could not take", async () => {
    const ran = await inspector.run(...target(), "--method", "tools/list", "--strict");
    assert.equal(ran.code, 0, ran.stderr);
  });

  test("tools/call switches a light, and the house remembers", async () => {
    assertSwitched(await ask(...SWITCH));
    const states = await ask<{ structuredContent: unknown }>(...CALL, "--tool-name", "list_lights_on");
    assert.deepEqual(states.structuredContent, { on: ["salon"] });
  });

  test("a missing argument is a result that says so", async () => {
    const ran = await inspector.run(...target(), ...SWITCH.slice(0, -2));
    assert.equal(ran.code, TOOL_ERROR, ran.stderr);
    const { content, isError } = resultOf<{ content: { text: string }[]; isError: boolean }>(ran);
    assert.equal(isError, true);
    assert.match(content[0]?.text ?? "", /'on'/);
  });
}
