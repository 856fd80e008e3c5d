/** A cluster is one hub to those it connects to: none of its nodes can be attached as a server of another. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { type Balancer, openBalancer } from "../support/balancer.ts";
import { type NatsProcess, NO_NATS, startNats } from "../support/nats.ts";
import { NO_POSTGRES, type Postgres, startPostgres } from "../support/postgres.ts";
import { until } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

describe("a cluster as a server of itself", { skip: NO_POSTGRES || NO_NATS }, () => {
  const env = { ZAGUAN_CLUSTER_SECRET: randomBytes(32).toString("base64") };
  let postgres: Postgres;
  let nats: NatsProcess;
  let hubs: readonly SpawnedZaguan[] = [];
  const balancers: Balancer[] = [];
  let client: RegistryClient;
  let headers: Readonly<Record<string, string>>;

  before(async () => {
    [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
    const start = (node: string): Promise<SpawnedZaguan> => {
      const args = ["--allow-private", "--database", postgres.url(), "--nats", nats.url, "--node", node];
      return spawnZaguan({ args, env, config: {} });
    };
    hubs = await Promise.all(["uno", "dos"].map(start));
    for (const hub of hubs) balancers.push(await openBalancer([hub.url]));
    const clients = hubs.map(({ url }) => new RegistryClient(url));
    await until("both know each other", async () => {
      const seen = await Promise.all(clients.map(async (one) => (await one.get("/health/cluster")).body.nodes.length));
      return seen.every((count) => count === hubs.length);
    });
    client = clients[0] as RegistryClient;
    headers = { authorization: `Bearer ${(await client.done("POST", "/keys", { name: "itself", admin: true })).key}` };
  });
  after(async () => {
    for (const balancer of balancers) balancer.close();
    await Promise.all(hubs.map((hub) => hub.stop()));
    await nats?.stop();
    await postgres?.dispose();
  });

  it("is refused whichever node is asked by whichever, by HTTP and by WebSocket", async () => {
    for (const [index, { url }] of balancers.entries()) {
      for (const [kind, baseUrl] of [
        ["http", `${url}/mcp`],
        ["socket", `${url.replace("http", "ws")}/ws`],
      ] as const) {
        const name = `${kind}${index}`;
        await client.done("POST", "/mcp/servers", { name, baseUrl, authType: "none", headers });
        const { status, text } = await client.post(`/mcp/servers/${name}/discover`);
        assert.notEqual(status, 200, `${name}: ${text}`);
        assert.match(text, /leads back to this hub/, name);
      }
    }
  });
});
