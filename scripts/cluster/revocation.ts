/** Measures how long a key that was revoked at one node is still accepted, there and at the other nodes. */
import { setTimeout as sleep } from "node:timers/promises";
import { spreadOf } from "../../bench/statistics.ts";
import { RegistryClient } from "../../test/support/registry-client.ts";
import type { RevocationFigures } from "./figures.ts";
import type { ClusterWorld } from "./world.ts";

/** The pause between two tries of the key. */
const RETRY_MS = 2;

export async function measureRevocation(world: ClusterWorld, rounds: number): Promise<RevocationFigures> {
  const clients = world.nodes.map(({ url }) => new RegistryClient(url));
  const here: number[] = [];
  const everywhere: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const asked = round % clients.length;
    const times = await revokedAt(clients, asked, `measured-${round}`);
    here.push(times[asked] ?? Number.NaN);
    everywhere.push(Math.max(...times));
  }
  return { rounds, nodes: clients.length, hereMs: spreadOf(here), everywhereMs: spreadOf(everywhere) };
}

/** Milliseconds from the request to the first refusal, for each node. */
async function revokedAt(clients: readonly RegistryClient[], asked: number, name: string): Promise<number[]> {
  const { key } = await (clients[asked] as RegistryClient).done("POST", "/keys", { name });
  // Every node has used the key just before, and may have cached it.
  await Promise.all(clients.map((client) => until(client, key, 200)));
  const startedAt = performance.now();
  const refusals = clients.map(async (client) => {
    await until(client, key, 401);
    return performance.now() - startedAt;
  });
  await (clients[asked] as RegistryClient).done("DELETE", `/keys/${name}`);
  return Promise.all(refusals);
}

async function until(client: RegistryClient, key: string, status: number): Promise<void> {
  const holder = client.withKey(key);
  while ((await holder.rpc("/mcp", "ping")).status !== status) await sleep(RETRY_MS);
}
