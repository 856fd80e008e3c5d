/**
 * Stopping the hub under official clients that know nothing of it: nobody is left without an answer, and nobody holds it
 * up. The time that a stop may take is set far beyond what the helper waits for, so that using it up is a failure.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { assertSwitched } from "./support/house.ts";
import { connectV1, connectV2, type PeerClient } from "./support/official-clients.ts";
import { everything } from "./support/official-servers.ts";

const CONFIG = { mcpServers: { everything: everything() }, limits: { graceSeconds: 120 } };
const SWITCH = ["set_light_state", { name: "garage", on: true }] as const;
const LONG = ["trigger-long-running-operation", { duration: 2, steps: 2 }] as const;

for (const [version, connect] of [
  ["v1", connectV1],
  ["v2", connectV2],
] as const) {
  describe(`a stop under TypeScript client ${version}`, () => {
    test("does not wait for clients that only listen", async () => {
      await withHub(connect, async (hub, clients) => {
        for (const client of clients) assertSwitched(await client.call(...SWITCH));
        await hub.stop();
      });
    });

    test("waits for a running call, which gets its answer, and no longer", async () => {
      await withHub(connect, async (hub, clients) => {
        const [client] = clients;
        assert.ok(client);
        const started = Promise.withResolvers<void>();
        const answer = client.call(...LONG, { onprogress: () => started.resolve() });
        await started.promise;
        await Promise.all([hub.stop(), assertCompleted(answer)]);
      });
    });

    test("waits for a running call that tells no progress just the same", async () => {
      await withHub(connect, async (hub, clients) => {
        const [client] = clients;
        assert.ok(client);
        await client.call("echo", { message: "so that the server runs" });
        const answer = client.call(...LONG);
        await callInFlight(hub);
        await Promise.all([hub.stop(), assertCompleted(answer)]);
      });
    });
  });
}

async function withHub(
  connect: (url: string) => Promise<PeerClient>,
  run: (hub: SpawnedZaguan, clients: readonly PeerClient[]) => Promise<void>,
): Promise<void> {
  const hub = await spawnZaguan({ config: CONFIG });
  const clients = await Promise.all(Array.from({ length: 5 }, () => connect(`${hub.url}/mcp`)));
  try {
    await run(hub, clients);
  } finally {
    await Promise.allSettled(clients.map((client) => client.close()));
    await hub.kill();
  }
}

async function assertCompleted(answer: ReturnType<PeerClient["call"]>): Promise<void> {
  assert.match((await answer).content[0]?.text ?? "", /completed/);
}

async function callInFlight(hub: SpawnedZaguan): Promise<void> {
  let inFlight = 0;
  while (inFlight === 0) {
    const response = await fetch(`${hub.url}/health`);
    inFlight = ((await response.json()) as { callsInFlight: number }).callsInFlight;
  }
}
