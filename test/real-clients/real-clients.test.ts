/**
 * Clients that nobody here wrote, over each transport that they offer, at the whole catalogue with server-everything in it:
 * they list and call, hear progress, are asked and answer, and leave no session behind.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { HOUSE_TOOLS } from "../peers/support/house.ts";
import { everything } from "../peers/support/official-servers.ts";
import { until } from "../support/processes.ts";
import { runProgram } from "../support/run-program.ts";
import { type SpawnedZaguan, spawnZaguan, zaguanCommand } from "../support/spawn-zaguan.ts";
import { CLIENTS, type Kind, type RealClient } from "./support/clients.ts";
import { type Environment, environmentFor } from "./support/environments.ts";
import { openFront } from "./support/front.ts";

const LIMIT_MS = 120_000;
const QUIET = { MCP_USE_ANONYMIZED_TELEMETRY: "false", PYTHONDONTWRITEBYTECODE: "1" };
const CONFIG = { mcpServers: { everything: everything() } };

interface Seen {
  readonly tools: readonly string[];
  readonly switched: string;
  readonly echoed: string;
  readonly revision?: string | null;
  readonly progress?: readonly number[] | null;
  readonly elicited?: string | null;
  readonly sampled?: string | null;
}

let hub: SpawnedZaguan;
const folder = mkdtempSync(join(tmpdir(), "zaguan-clients-"));

before(async () => {
  hub = await spawnZaguan({ config: CONFIG });
  writeFileSync(join(folder, "zaguan.json"), JSON.stringify(CONFIG));
});

after(async () => {
  await hub?.stop();
  rmSync(folder, { recursive: true, force: true });
});

for (const [name, client] of Object.entries(CLIENTS)) {
  const environment: Environment = client.packages
    ? await environmentFor(client.packages)
    : { python: process.execPath };

  describe(name, { skip: "missing" in environment ? environment.missing : false }, () => {
    const program = "python" in environment ? environment.python : "";

    for (const kind of client.kinds.filter((kind) => kind !== "stdio")) {
      test(`over ${kind}`, async () => {
        const front = await openFront(hub.url);
        try {
          assertSeen(
            await drive(program, client, kind, `${front.url}/${kind === "sse" ? "sse" : "mcp"}`),
            client,
            kind,
          );
          assert.equal(front.count() > 0, !(kind === "http" && client.findsStatelessEra), `${front.count()} sessions`);
          assert.deepEqual(await leftOf(front.stillOpen), []);
        } finally {
          await front.close();
        }
      });
    }

    if (client.kinds.includes("stdio")) {
      test("over stdio", async () => {
        const files = ["--data", join(folder, "data"), "--config", join(folder, "zaguan.json")];
        const { command, args } = zaguanCommand("stdio", ...files);
        assertSeen(await drive(program, client, "stdio", command, ...args), client, "stdio");
        await until("the hub has ended with its client", () => !isServedFrom(folder));
      });
    }
  });
}

async function drive(program: string, client: RealClient, kind: Kind, ...words: readonly string[]): Promise<Seen> {
  const driver = fileURLToPath(new URL(`./drivers/${client.driver}`, import.meta.url));
  const ran = await runProgram(program, [driver, kind, ...words], { cwd: folder, env: QUIET, limitMs: LIMIT_MS });
  assert.equal(ran.code, 0, ran.stderr);
  return JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "") as Seen;
}

function assertSeen(seen: Seen, { can, startsHubPerCall }: RealClient, kind: Kind): void {
  assert.deepEqual(seen.tools.slice(0, HOUSE_TOOLS.length), HOUSE_TOOLS);
  assert.deepEqual(JSON.parse(seen.switched), { ok: true });
  assert.equal(seen.echoed, "Echo: ñ 你好 😀");
  if (kind === "http-legacy" && seen.revision) assert.equal(seen.revision, "2025-11-25");
  if (kind === "stdio" && startsHubPerCall) return;
  if (can.includes("progress")) assert.deepEqual(seen.progress, [1, 2, 3, 4]);
  if (can.includes("elicited")) assert.match(seen.elicited ?? "", /Name: Ana Núñez\n/);
  if (can.includes("sampled")) assert.match(seen.sampled ?? "", /"text": "cuatro 你好"/);
}

/** Empty as soon as nothing is left; a client's farewell may come a moment after its end. */
async function leftOf(stillOpen: () => Promise<string[]>): Promise<string[]> {
  for (let tries = 0; tries < 50; tries++) {
    if ((await stillOpen()).length === 0) return [];
    await sleep(100);
  }
  return stillOpen();
}

/** True while a process runs whose command line names this folder. */
function isServedFrom(place: string): boolean {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.some((pid) => commandLineOf(pid).includes(place));
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
