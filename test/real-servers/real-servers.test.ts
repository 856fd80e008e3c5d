/**
 * Programs that nobody here wrote, from empty caches, all at once, with three broken ones among them: what comes up for a
 * client that starts it itself comes up behind the hub, offers the same, answers the same, and is gone when the hub ends.
 */
import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { until } from "../support/processes.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { installUv } from "../support/uv.ts";
import { type Ground, prepareGround } from "./ground.ts";
import { type Failure, type Meeting, meet } from "./meeting.ts";
import { BROKEN, type RealServer, realServers } from "./servers.ts";
import { table } from "./table.ts";

/** What an installation may take where nothing is between it and its user. */
const DIRECT_LIMIT_MS = 600_000;
/** The same work has to be done behind the hub; this is for the luck of a network. */
const HUB_LIMIT_MS = 60_000;
/** A few, while something is being found out: `ZAGUAN_REAL_SERVERS=time,git`. */
const CHOSEN = process.env["ZAGUAN_REAL_SERVERS"]?.split(",");
const ENOUGH = 22;

type Met = ReadonlyMap<string, Meeting | Failure>;

interface Listed {
  readonly name: string;
  readonly state: string;
  readonly lastError: string | null;
}

const uv = await installUv();

describe("real servers", { skip: "missing" in uv ? uv.missing : false }, () => {
  let ground: Ground;
  let servers: readonly (readonly [string, RealServer])[];
  let hub: SpawnedZaguan;
  let directly: Met;
  let through: Met;
  let broken: Map<string, Listed>;

  before(async () => {
    ground = await prepareGround("bin" in uv ? uv.bin : "");
    servers = Object.entries(realServers(ground)).filter(([name]) => CHOSEN?.includes(name) ?? true);
    console.log("starting each by itself, from empty caches");
    directly = await meetDirectly();
    console.log("starting all of them behind the hub, from empty caches");
    hub = await spawnZaguan({ config: { devices: { house: false }, mcpServers: entries("hub") } });
    through = await meetThroughHub();
    console.log("waiting until the broken ones are known as such");
    broken = await brokenOnes();
  });

  after(async () => {
    console.log(table(servers.map(([name]) => ({ name, direct: directly.get(name), hub: through.get(name) }))));
    await hub?.stop();
    for (const whose of ["direct", "hub"]) endAll(ground.left(whose));
    ground.remove();
  });

  test("so many come up by themselves that something is shown", {
    skip: CHOSEN ? "only some were asked for" : false,
  }, () => {
    const up = [...directly.values()].filter((met) => "offer" in met);
    assert.ok(up.length >= ENOUGH, `only ${up.length}`);
  });

  for (const name of Object.keys(realServers({} as Ground))) {
    describe(name, { skip: CHOSEN && !CHOSEN.includes(name) ? "not asked for" : false }, () => {
      test("comes up behind the hub, if it comes up at all", (t) => {
        const [its, ours] = [directly.get(name), through.get(name)];
        if (!its || "failed" in its) return t.skip(`does not come up by itself: ${its?.failed}`);
        assert.ok(ours && "offer" in ours, `${ours && "failed" in ours ? ours.failed : ""}\n${saidOf(name)}`);
      });

      test("offers and answers the same, field by field", (t) => {
        const [its, ours] = [directly.get(name), through.get(name)];
        if (!its || "failed" in its || !ours || "failed" in ours) return t.skip("it did not come up on both sides");
        assert.notEqual((its.answer as { isError?: boolean } | undefined)?.isError, true, "the call is one that works");
        assert.deepEqual(ours.offer, its.offer);
        assert.deepEqual(ours.answer, its.answer);
      });
    });
  }

  for (const [name, { reason }] of Object.entries(BROKEN)) {
    test(`${name} is shown as broken, with a reason that helps`, () => {
      assert.match(broken.get(name)?.lastError ?? "", reason);
      assert.notEqual(broken.get(name)?.state, "ready");
    });
  }

  test("no process of a server outlives the hub", async () => {
    assert.notDeepEqual(ground.left("hub"), [], "there is something that could be left");
    await hub.stop();
    await until("all have ended", () => ground.left("hub").length === 0);
  });

  function entries(whose: string): Record<string, object> {
    const env = ground.environment(whose);
    const real = servers.map(([name, { call: _, ...server }]) => [name, { ...server, env: { ...env, ...server.env } }]);
    const notReal = Object.entries(BROKEN).map(([name, { command, args }]) => [name, { command, args, env }]);
    return Object.fromEntries([...real, ...notReal]);
  }

  async function meetDirectly(): Promise<Met> {
    const env = ground.environment("direct");
    const met = await all(([, { command, args, env: own }], server) =>
      meet({ command, args: [...args], env: { ...env, ...own }, cwd: ground.folder }, server, DIRECT_LIMIT_MS),
    );
    endAll(ground.left("direct"));
    return met;
  }

  function meetThroughHub(): Promise<Met> {
    const slowest = Math.max(...[...directly.values()].map((met) => ("offer" in met ? met.seconds * 1_000 : 0)));
    return all(async ([name], server) => {
      const its = directly.get(name);
      if (!its || "failed" in its) return { seconds: 0, failed: "not tried" };
      return meet(`${hub.url}/servers/${name}/mcp`, server, 2 * slowest + HUB_LIMIT_MS);
    });
  }

  async function all(
    meeting: (entry: readonly [string, RealServer], server: RealServer) => Promise<Meeting | Failure>,
  ): Promise<Met> {
    const met = servers.map(async (entry) => [entry[0], await meeting(entry, entry[1])] as const);
    return new Map(await Promise.all(met));
  }

  /** As `GET /mcp/servers` shows them once each has a reason. */
  async function brokenOnes(): Promise<Map<string, Listed>> {
    const end = performance.now() + 2 * HUB_LIMIT_MS;
    for (;;) {
      const listed = (await (await fetch(`${hub.url}/mcp/servers`)).json()) as readonly Listed[];
      const ours = listed.filter(({ name }) => name in BROKEN);
      if (ours.every(({ lastError }) => lastError) || performance.now() > end) {
        return new Map(ours.map((server) => [server.name, server]));
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  /** The hub's log of one server, for a person who has to find out. */
  function saidOf(name: string): string {
    const lines = `${hub.stdout()}${hub.stderr()}`.split("\n");
    return lines.filter((line) => line.includes(`"source":"${name}"`)).join("\n");
  }
});

/** Some clients leave what `npx` started running when they end it; those are ours to end, by their numbers. */
function endAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}
