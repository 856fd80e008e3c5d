/**
 * The official Python client with server-everything behind the hub, at its own address and in the whole catalogue, asking
 * for the era first, pinned to the revision without a handshake, and with one: it sees what it sees without a hub.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { HOUSE_TOOLS } from "./support/house.ts";
import { type ListeningServer, listeningEverything } from "./support/official-servers.ts";
import { pythonWithClient } from "./support/python.ts";
import { run } from "./support/run.ts";

const SCRIPT = fileURLToPath(new URL("./support/python-servers.py", import.meta.url));

const STATELESS = "2026-07-28";

type Seen = Readonly<Record<string, unknown>> & { readonly tools: readonly object[]; readonly server: string | null };

const found = await pythonWithClient();

describe("Python client with a server behind the hub", { skip: "missing" in found ? found.missing : false }, () => {
  const python = "python" in found ? found.python : "";
  const temp = mkdtempSync(join(tmpdir(), "zaguan-python-"));
  let listening: ListeningServer;
  let hub: SpawnedZaguan;
  let direct: Seen;
  before(async () => {
    listening = await listeningEverything();
    const mcpServers = { everything: { url: listening.url, zaguan: { allowPrivate: true } } };
    hub = await spawnZaguan({ config: { mcpServers } });
    direct = await drive(listening.url, "legacy");
  });
  after(async () => {
    await hub?.stop();
    await listening?.close();
    rmSync(temp, { recursive: true, force: true });
  });

  for (const [mode, version] of [
    ["auto", STATELESS],
    [STATELESS, STATELESS],
    ["legacy", "2025-11-25"],
  ] as const) {
    for (const place of ["/servers/everything/mcp", "/mcp"]) {
      test(`${place} in mode ${mode}`, async () => {
        const { server, tools, ...seen } = await drive(`${hub.url}${place}`, mode);
        const isHub = place === "/mcp";
        assert.equal(server, mode === STATELESS ? null : isHub ? "zaguan" : direct.server);
        assert.deepEqual(tools.slice(isHub ? HOUSE_TOOLS.length : 0), direct.tools);
        const { server: _server, tools: _tools, ...expected } = direct;
        const updated = version === STATELESS ? "demo://resource/dynamic/text/1" : null;
        assert.deepEqual(seen, { ...expected, version, updated });
      });
    }
  }

  async function drive(...words: readonly string[]): Promise<Seen> {
    const ran = await run(python, [SCRIPT, ...words], { cwd: temp });
    assert.equal(ran.code, 0, ran.stderr);
    return JSON.parse(ran.stdout) as Seen;
  }
});
