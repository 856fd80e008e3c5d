/** The official Python client, in its own mode of asking for the era first, over HTTP and over stdio. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { spawnZaguan, zaguanCommand } from "../support/spawn-zaguan.ts";
import { assertSwitched, HOUSE_TOOLS } from "./support/house.ts";
import { pythonWithClient } from "./support/python.ts";
import { run } from "./support/run.ts";

const SCRIPT = fileURLToPath(new URL("./support/python-client.py", import.meta.url));

interface Seen {
  readonly server: string;
  readonly version: string;
  readonly tools: readonly string[];
  readonly switched: object;
  readonly lights: { readonly structuredContent: unknown };
  readonly refused: { readonly isError: boolean };
  readonly unknown: number | null;
}

const found = await pythonWithClient();

describe("Python client", { skip: "missing" in found ? found.missing : false }, () => {
  const python = "python" in found ? found.python : "";
  const temp = mkdtempSync(join(tmpdir(), "zaguan-python-"));
  after(() => rmSync(temp, { recursive: true, force: true }));

  test("over HTTP", async () => {
    const hub = await spawnZaguan();
    try {
      assertSeen(await drive("http", `${hub.url}/mcp`), "2026-07-28");
    } finally {
      await hub.stop();
    }
  });

  test("over stdio", async () => {
    const files = ["--data", join(temp, "data"), "--config", join(temp, "zaguan.json")];
    const { command, args } = zaguanCommand("stdio", ...files);
    assertSeen(await drive("stdio", command, ...args), "2026-07-28");
  });

  async function drive(...words: readonly string[]): Promise<Seen> {
    const ran = await run(python, [SCRIPT, ...words], { cwd: temp });
    assert.equal(ran.code, 0, ran.stderr);
    return JSON.parse(ran.stdout) as Seen;
  }
});

function assertSeen(seen: Seen, version: string): void {
  assert.equal(seen.server, "zaguan");
  assert.equal(seen.version, version);
  assert.deepEqual(seen.tools, HOUSE_TOOLS);
  assertSwitched(seen.switched);
  assert.deepEqual(seen.lights.structuredContent, { on: ["salon"] });
  assert.equal(seen.refused.isError, true);
  assert.equal(seen.unknown, -32602);
}
