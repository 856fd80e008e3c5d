/**
 * The cluster's secret is changed while its nodes run, and with it the key of stored credentials that is derived from it: three
 * rolling restarts, during which every call is answered.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { CredentialHolders } from "../support/credential-holders.ts";
import { type NatsProcess, NO_NATS, startNats } from "../support/nats.ts";
import { NO_POSTGRES, type Postgres, startPostgres } from "../support/postgres.ts";
import { isRunning } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const [OLD, NEW] = [0, 1].map(() => randomBytes(32).toString("base64")) as [string, string];
const NAMES = ["uno", "dos"] as const;

describe("the secret of a cluster", { skip: NO_POSTGRES || NO_NATS }, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-rotation-"));
  const hubs = new Map<string, SpawnedZaguan>();
  let postgres: Postgres;
  let nats: NatsProcess;
  let holders: CredentialHolders;
  before(async () => {
    [postgres, nats, holders] = await Promise.all([startPostgres(), startNats(), CredentialHolders.start()]);
  });
  after(async () => {
    await Promise.all([...hubs.values()].map((hub) => (isRunning(hub.pid) ? hub.stop() : undefined)));
    await holders?.close();
    await nats?.stop();
    await postgres?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (node: string, secret: string): Promise<void> => {
    const args = ["--database", postgres.url(), "--nats", nats.url, "--node", node];
    hubs.set(node, await spawnZaguan({ args, env: { ZAGUAN_CLUSTER_SECRET: secret }, config: {} }));
  };
  const clientOf = (node: string): RegistryClient => new RegistryClient(hubs.get(node)?.url ?? "");
  const rotate = (secret: string) =>
    runZaguan(["rotate-key", "--data", join(folder, "data")], folder, {
      ZAGUAN_CLUSTER_SECRET: secret,
      ZAGUAN_DATABASE: postgres.url(),
    });
  const seeEachOther = async (): Promise<void> => {
    const seen = async (node: string): Promise<number> =>
      (await clientOf(node).get("/health/cluster")).body.nodes?.length;
    for (const node of NAMES) await eventually("both see each other", async () => (await seen(node)) === NAMES.length);
  };
  /** Both see each other, and what one switches the other sees. */
  const assertOne = async (isOn: boolean): Promise<void> => {
    const [one, other] = NAMES.map(clientOf) as [RegistryClient, RegistryClient];
    await seeEachOther();
    await one.textOf("/mcp", "set_light_state", { name: "salon", on: isOn });
    assert.match(await other.textOf("/mcp", "get_all_states", {}), new RegExp(`"salon":\\s*${isOn}`));
    for (const client of [one, other]) await holders.assertCalled(client);
  };
  const restartAll = async (secret: string): Promise<void> => {
    for (const node of NAMES) {
      const others = NAMES.filter((name) => name !== node);
      const calls = keepCalling(others.map(clientOf));
      await hubs.get(node)?.stop();
      await start(node, secret);
      await seeEachOther();
      assert.deepEqual(await calls.stop(), [], "no call failed");
    }
  };

  it("is exchanged for another without an end of the service, and opens nothing afterwards", async () => {
    await Promise.all(NAMES.map((node) => start(node, OLD)));
    await holders.register(clientOf("uno"));
    await eventually("the other knows what they offer", async () => {
      const names = await clientOf("dos").names("/mcp");
      return ["tide", "nombre-herramienta"].every((name) => names.includes(name));
    });
    await assertOne(true);
    await restartAll(`${OLD},${NEW}`);
    await assertOne(false);
    await restartAll(`${NEW},${OLD}`);
    await assertOne(true);
    const tooEarly = await startFailing(NEW);
    assert.match(
      tooEarly,
      /^zaguan: Cannot open the key for stored credentials: credentials in the database are sealed/,
    );
    const { code, stdout, stderr } = await rotate(`${NEW},${OLD}`);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^Sealed anew: 3\./);
    await assertOne(false);
    await restartAll(NEW);
    await assertOne(true);
    assert.match(await startFailing(OLD), /^zaguan: Cannot open the key for stored credentials/);
  });

  async function startFailing(secret: string): Promise<string> {
    const args = ["serve", "--port", "0", "--data", join(folder, "other"), "--database", postgres.url()];
    const { code, stderr } = await runZaguan(args, folder, { ZAGUAN_CLUSTER_SECRET: secret });
    assert.equal(code, 1);
    return stderr;
  }
});

/** Calls the house through these nodes, one call after another, until it is stopped. */
function keepCalling(clients: readonly RegistryClient[]): { stop(): Promise<readonly string[]> } {
  const failures: string[] = [];
  let isOver = false;
  const all = clients.map(async (client) => {
    while (!isOver) {
      const { body, text } = await client.call("/mcp", "get_all_states", {});
      if (!body?.result || body.result.isError) failures.push(text);
    }
  });
  return {
    stop: async () => {
      isOver = true;
      await Promise.all(all);
      return failures;
    },
  };
}

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + 60_000;
  while (!(await holds())) {
    assert.ok(Date.now() < until, `still not so: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
