/** The balancer that `npm run cluster` has where none is installed, before plain servers in the place of nodes. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, it } from "node:test";
import { type OwnBalancer, startOwnBalancer } from "../../scripts/cluster/own-balancer.ts";
import { freePort } from "../support/mqtt/mosquitto.ts";

class Node {
  readonly #server: Server;
  readonly name: string;
  isHealthy = true;

  constructor(name: string) {
    this.name = name;
    this.#server = createServer((asked, response) => {
      const isWell = this.isHealthy || asked.url !== "/health";
      response.writeHead(isWell ? 200 : 503, { connection: "close" }).end(this.name);
    });
  }

  async start(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}

let nodes: [Node, Node, Node];
let port: number;
let balancer: OwnBalancer;
beforeEach(async () => {
  nodes = [new Node("uno"), new Node("dos"), new Node("tres")];
  port = await freePort();
  balancer = await startOwnBalancer(port, await Promise.all(nodes.map((node) => node.start())));
});
afterEach(async () => {
  await balancer.stop();
  for (const node of nodes) await node.stop();
});

/** Who answers, over a connection of its own. */
function answered(): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: "127.0.0.1", agent: false }, (answer) => resolve(text(answer)));
    asked.on("error", reject).end();
  });
}

async function answeredTimes(count: number): Promise<string[]> {
  const all: string[] = [];
  for (let turn = 0; turn < count; turn++) all.push(await answered());
  return all;
}

it("hands connections to the nodes in turn", async () => {
  assert.deepEqual(await answeredTimes(6), ["uno", "dos", "tres", "uno", "dos", "tres"]);
});

it("tries the next one where a node takes no connection, without waiting for a check", async () => {
  await nodes[1].stop();
  const all = await answeredTimes(6);
  assert.deepEqual(new Set(all), new Set(["uno", "tres"]));
});

it("leaves out a node that says it is not well, until it is again", async () => {
  nodes[0].isHealthy = false;
  while ((await answeredTimes(3)).includes("uno"));
  nodes[0].isHealthy = true;
  while (!(await answeredTimes(3)).includes("uno"));
});

it("cuts the connection where no node is left, and says nothing in its place", async () => {
  for (const node of nodes) await node.stop();
  await assert.rejects(answered(), { code: "ECONNRESET" });
});
