/**
 * Servers behind a shell that are started, stopped and replaced again and again, and hubs that are killed: no process
 * outlives its entry or its hub, and none stays as a zombie. Row 23 of the scorecard.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { isRunning, until } from "../support/processes.ts";
import { figure, sized } from "../support/scorecard.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { evilServer, readPids } from "../support/stub-servers.ts";

const CYCLES = sized(6, 200);
const KILLS = sized(2, 20);
/** What ignores a polite request is ended by force after a while; few of these, or the row would only wait. */
const STUBBORN_EACH = 20;
/** The short form runs where others work too. */
const GONE_MS = sized(60_000, 5_000);

const folder = mkdtempSync(join(tmpdir(), "zaguan-orphans-"));
const pids = join(folder, "pids.txt");
after(() => rmSync(folder, { recursive: true, force: true }));

describe(`${CYCLES} times a server behind a shell was started, replaced or taken away`, () => {
  let hub: SpawnedZaguan;
  before(async () => {
    hub = await spawnZaguan({ config: {} });
  });
  after(() => hub?.stop());

  it("nothing was left of it", async () => {
    for (let cycle = 1; cycle <= CYCLES; cycle++) {
      const way = cycle % STUBBORN_EACH === 0 ? "ignores-sigterm" : "well-behaved";
      const before = readPids(pids).length;
      hub.writeConfig({ mcpServers: { wrapped: wrapped(way, `cycle ${cycle}`) } });
      await until(`cycle ${cycle} is up`, () => readPids(pids).length > before);
      if (cycle % 2 === 0) hub.writeConfig({ mcpServers: {} });
      const left = cycle % 2 === 0 ? 0 : 1;
      await until(`only ${left} is left`, () => readPids(pids).filter(isRunning).length === left);
    }
    hub.writeConfig({ mcpServers: {} });
    await until("the last is gone", () => !readPids(pids).some(isRunning));
    await until("the hub has heard of each end", () => zombiesOf(hub.pid).length === 0);
    const zombies = zombiesOf(hub.pid).length;
    figure(
      23,
      "orphans after replacements",
      `${readPids(pids).filter(isRunning).length} of ${CYCLES}, ${zombies} zombies`,
    );
    assert.equal(zombies, 0);
  });
});

describe(`a hub that is killed ${KILLS} times`, () => {
  it("takes everything below it along", async () => {
    const goneMs: number[] = [];
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = readPids(pids).length;
      const mcpServers = {
        plain: evilServer("well-behaved", pids),
        stubborn: evilServer("ignores-sigterm", pids),
        wrapped: wrapped("ignores-sigterm", "killed"),
      };
      const hub = await spawnZaguan({ config: { mcpServers } });
      // More, if one was so slow that it was started again.
      await until("all three are up", () => readPids(pids).length >= before + 3);
      const below = [...hub.descendants(), ...readPids(pids).slice(before)];
      const killedAt = performance.now();
      await hub.kill();
      await until("everything below is gone", () => !below.some(isRunning));
      goneMs.push(performance.now() - killedAt);
      rmSync(hub.folder, { recursive: true, force: true });
    }
    const longest = Math.max(...goneMs);
    figure(23, "orphans after kill -9", `0 of ${3 * KILLS} servers, the last gone after ${longest.toFixed(0)} ms`);
    assert.ok(longest < GONE_MS, `${longest} ms`);
  });
});

/** Behind a shell that stays, as package runners start servers. */
function wrapped(way: string, comment: string): { command: string; args: string[] } {
  const { args } = evilServer(way, pids);
  const words = [process.execPath, ...args].map((word) => `'${word}'`).join(" ");
  return { command: "sh", args: ["-c", `${words}; : ${comment}`] };
}

/** Ended children that their parent has not looked after. */
function zombiesOf(parent: number): number[] {
  const isZombie = (pid: string): boolean => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      const [state, itsParent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" && Number(itsParent) === parent;
    } catch {
      return false;
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isZombie(name))
    .map(Number);
}
