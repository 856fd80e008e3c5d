/**
 * A server and an API of a hub that are of use only with their credentials: a key and a header of the one, a bearer token and a
 * token in the address of the other. Both note what they were sent.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { RegistryClient } from "./registry-client.ts";
import { StandIn } from "./registry-servers.ts";

const DOCUMENT = {
  openapi: "3.0.3",
  info: { title: "tides", version: "1" },
  paths: { "/now": { get: { operationId: "tide", responses: { 200: { description: "now" } } } } },
};

const secret = (): string => `hush-${randomBytes(12).toString("hex")}`;

export class CredentialHolders {
  readonly #standIn: StandIn;
  readonly #site: Server;
  readonly #asked: Pick<IncomingMessage, "url" | "headers">[];
  readonly #secrets = { key: secret(), header: secret(), bearer: secret(), address: secret() };

  static async start(): Promise<CredentialHolders> {
    const asked: Pick<IncomingMessage, "url" | "headers">[] = [];
    const site = createServer((request, response) => {
      asked.push({ url: request.url, headers: request.headers });
      response.writeHead(200, { "content-type": "application/json" }).end('{"level":"high"}');
    });
    site.listen(0, "127.0.0.1");
    await once(site, "listening");
    return new CredentialHolders(await StandIn.start(), site, asked);
  }

  private constructor(standIn: StandIn, site: Server, asked: Pick<IncomingMessage, "url" | "headers">[]) {
    this.#standIn = standIn;
    this.#site = site;
    this.#asked = asked;
  }

  async register(client: RegistryClient): Promise<void> {
    const { key, header, bearer, address } = this.#secrets;
    const more = { authType: "apikey", credentials: key, headers: { "X-Other": header } };
    await client.found("letters", this.#standIn.url, more);
    const { port } = this.#site.address() as AddressInfo;
    await client.done("POST", "/admin/apis", {
      name: "tides",
      document: JSON.stringify(DOCUMENT),
      baseUrl: `http://127.0.0.1:${port}/v1?token=${address}`,
      auth: { type: "bearer", token: bearer },
    });
  }

  /** Both are called through this hub, and get what they were registered with. */
  async assertCalled(client: RegistryClient): Promise<void> {
    const { key, header, bearer, address } = this.#secrets;
    await client.textOf("/servers/letters/mcp", "nombre-herramienta", { prompt: "hola" });
    const { headers } = this.#standIn.calls.at(-1) ?? assert.fail("it was not called");
    assert.deepEqual([headers["x-api-key"], headers["x-other"]], [key, header]);
    await client.textOf("/servers/tides/mcp", "tide", {});
    const asked = this.#asked.at(-1) ?? assert.fail("it was not asked");
    assert.equal(asked.headers.authorization, `Bearer ${bearer}`);
    assert.equal(new URL(asked.url ?? "", "http://tides.example").searchParams.get("token"), address);
  }

  async close(): Promise<void> {
    this.#site.close();
    this.#site.closeAllConnections();
    await this.#standIn.close();
  }
}
