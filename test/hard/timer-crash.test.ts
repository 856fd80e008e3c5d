/**
 * The hub is killed while timers are accepted and carried out: none runs twice, and each one whose start was answered runs
 * or is told of as "unknown" afterwards. A server on stdio writes every execution to a ledger. In its long form
 * (ZAGUAN_SCORECARD=document) it is killed more often.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { sized } from "../support/scorecard.ts";
import { Random } from "../support/seed.ts";
import { untilListed } from "../support/seed-002.ts";
import { askUntil } from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const KILLS = sized(4, 20);
const SERVER = fileURLToPath(new URL("../support/ledger-server.mjs", import.meta.url));
/** How long the server works on each call: longer than it takes to kill. */
const WORK_MS = 30;
const TIMER_TOOLS = ["timer.start_countdown", "timer.get_active_timers"];
/** Timers that are accepted in a round before anybody is killed. */
const FEWEST = 60;

describe(`timers of a hub that is killed ${KILLS} times`, () => {
  const dice = new Random();
  const folder = mkdtempSync(join(tmpdir(), "zaguan-timer-crash-"));
  const ledger = join(folder, "ledger");
  /** By the tag that is written to the ledger: the number of each timer whose start was answered. */
  const accepted = new Map<string, number>();
  let started = 0;
  let isDying = false;
  let hub: SpawnedZaguan;
  let client: RegistryClient;
  /** At once, so that the store is written to while calls are under way: the owner, a limited key, an agent. */
  let writers: readonly (Record<string, string> | undefined)[];

  before(async () => {
    await start();
    const { key: limited } = await client.done("POST", "/keys", { name: "limited", allow: [...TIMER_TOOLS, "incr"] });
    await client.agent("ana", "ledger__incr", ...TIMER_TOOLS.map((name) => `timers__${name}`));
    const { key: agents } = await client.done("POST", "/agents/ana/key");
    writers = [undefined, ...[limited, agents].map((key) => ({ authorization: `Bearer ${key}` }))];
  });
  after(async () => {
    await hub?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (let kill = 1; kill <= KILLS; kill++) {
    it(`are accepted and carried out until kill ${kill}`, async (t) => {
      const [acceptedBefore, executedBefore] = [accepted.size, executed().length];
      const enough = 1 + dice.int(FEWEST);
      isDying = false;
      const writing = Promise.all(writers.map((headers) => write(new RegistryClient(hub.url, headers))));
      const isTime = (): boolean =>
        accepted.size - acceptedBefore >= FEWEST && executed().length - executedBefore >= enough;
      await askUntil("timers are accepted and run", async () => isTime(), Boolean);
      await sleep(dice.fraction() * WORK_MS);
      isDying = true;
      await hub.kill();
      await writing;
      t.diagnostic(`${accepted.size - acceptedBefore} accepted, ${executed().length - executedBefore} executed`);
      await start();
    });
  }

  it("ran at most once, and each that was accepted ran or is told of as unknown", async (t) => {
    const { recent } = await askUntil("none waits any more", list, (told) => told.total_active_timers === 0);
    const counts = new Map<string, number>();
    for (const tag of executed()) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    const endings = new Map<number, Message>(recent.map((run: Message) => [run.timer_id, run]));
    const twice = [...counts].filter(([, count]) => count > 1);
    const notRun = [...accepted].filter(([tag]) => !counts.has(tag));
    const lost = notRun.filter(([, id]) => endings.get(id)?.status !== "unknown");
    const unknown = recent.filter(({ status }: Message) => status === "unknown");
    t.diagnostic(
      `${started} started, ${accepted.size} accepted, ${counts.size} executed, ` +
        `${unknown.length} unknown, of which ${notRun.length} did not run`,
    );
    assert.deepEqual(twice, [], "executed twice");
    assert.deepEqual(
      lost.map(([tag, id]) => [tag, endings.get(id) ?? "no word of it"]),
      [],
      "accepted, not executed, and not told of as unknown",
    );
    assert.deepEqual(
      recent.filter(({ status }: Message) => status !== "done" && status !== "unknown"),
      [],
    );
    for (const { message } of unknown) assert.match(message, /nobody knows whether it was carried out/);
  });

  async function start(): Promise<void> {
    const mcpServers = { ledger: { command: process.execPath, args: [SERVER, ledger, `${WORK_MS}`] } };
    const config = { mcpServers, devices: { timers: true }, log: { level: "error" } };
    hub = await spawnZaguan({ folder, config });
    client = new RegistryClient(hub.url);
    await untilListed(client, "timer.start_countdown", "incr");
  }

  async function write(writer: RegistryClient): Promise<void> {
    while (!isDying) {
      const tag = `timer-${started++}`;
      const command = JSON.stringify({ name: "incr", arguments: { tag } });
      try {
        const args = { command, delay: 1 + dice.int(2) };
        const { success, timer_id } = JSON.parse(await writer.textOf("/mcp", "timer.start_countdown", args));
        assert.equal(success, true);
        accepted.set(tag, timer_id);
      } catch (cause) {
        assert.ok(isDying, `a start failed: ${cause}`);
      }
      await sleep(10);
    }
  }

  async function list(): Promise<Message> {
    return JSON.parse(await client.textOf("/mcp", "timer.get_active_timers", {}));
  }

  function executed(): string[] {
    const lines = existsSync(ledger) ? readFileSync(ledger, "utf8").split("\n").filter(Boolean) : [];
    return lines.map((line) => line.split(" ")[0] ?? "");
  }
});
