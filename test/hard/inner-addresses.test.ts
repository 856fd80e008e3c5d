/**
 * Somebody with an administrator's key hands in addresses that lead to this machine, wherever an address is taken: none of
 * them is ever connected to, by whatever spelling, redirect, or change of a name's address. Row 15 of the scorecard.
 */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Canary, innerUrls } from "../support/canary.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { inFlight } from "../support/rpc-over-http.ts";
import { figure, sized } from "../support/scorecard.ts";
import { makeKey } from "../support/seed-003.ts";
import { toolBody } from "../support/seed-004.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

/** Of so many addresses one. */
const EVERY = sized(8, 1);
const REBOUND = sized(10, 200);
const AT_ONCE = 4;
const PRELOADED = fileURLToPath(new URL("../support/rebinding.cjs", import.meta.url));

/** Hands an address in, and then uses what came of it, if anything did. */
type Sink = (http: RegistryClient, url: string, name: string) => Promise<unknown>;

const SINKS: Readonly<Record<string, Sink>> = {
  "a server that is registered": async (http, baseUrl, name) => {
    await http.post("/mcp/servers", { name, baseUrl, authType: "none" });
    await http.post(`/mcp/servers/${name}/discover`);
    await http.delete(`/mcp/servers/${name}`);
  },
  "a server that is changed": async (http, baseUrl, name) => {
    await http.post("/mcp/servers", { name, baseUrl: "https://nowhere.invalid/mcp", authType: "none" });
    await http.patch(`/mcp/servers/${name}`, { baseUrl });
    await http.post(`/mcp/servers/${name}/discover`);
    await http.delete(`/mcp/servers/${name}`);
  },
  "a server that is tried": (http, baseUrl, name) =>
    http.post("/mcp/servers/preview", { name, baseUrl, authType: "none" }),
  "a tool that is described": async (http, baseUrl, name) => {
    const made = await http.post("/admin/tools/api", { ...toolBody(name, "/x"), baseUrl, parameters: [] });
    await http.call("/mcp", name, {});
    if (made.status === 201) await http.delete(`/admin/tools/api/${made.body.id}`);
  },
  "a provider that is imported": async (http, baseUrl, name) => {
    const provider = { name, code: name, baseUrl, authenticationType: "NONE", apiKeyLocation: "NONE" };
    await http.post("/api/import/providers", [
      { ...provider, tools: [{ ...toolBody(`${name}t`, "/x"), parameters: [] }] },
    ]);
    await http.call("/mcp", `${name}t`, {});
  },
  "a document that is fetched": (http, url, name) => http.post("/admin/apis/preview", { url, name }),
  "an API whose document says where it is": async (http, url, name) => {
    const made = await http.post("/admin/apis", { name, document: documentAt(url) });
    await callImported(http, name);
    if (made.status === 201) await http.delete(`/admin/apis/${name}`);
  },
  "an API's tokens": async (http, tokenUrl, name) => {
    const auth = { type: "oauth2", tokenUrl, clientId: "a", clientSecret: "b" };
    const made = await http.post("/admin/apis", { name, document: documentAt("https://nowhere.invalid"), auth });
    await callImported(http, name);
    if (made.status === 201) await http.delete(`/admin/apis/${name}`);
  },
};

describe("addresses that lead inside", () => {
  let canary: Canary;
  /** Stands for what is public: it sends everybody on to the canary. */
  let decoy: Server;
  let decoyHits = 0;
  let hub: SpawnedZaguan;
  let http: RegistryClient;
  let urls: readonly string[];

  before(async () => {
    canary = await Canary.open();
    urls = innerUrls(canary.port);
    decoy = createServer((_request, response) => {
      decoyHits++;
      response.writeHead(302, { location: `http://127.0.0.1:${canary.port}/` }).end();
    });
    await new Promise<void>((resolve) => decoy.listen(0, "127.0.0.1", resolve));
    const REBIND_DECOY = String((decoy.address() as AddressInfo).port);
    hub = await spawnZaguan({ env: { NODE_OPTIONS: `--require "${PRELOADED}"`, REBIND_DECOY } });
    http = new RegistryClient(hub.url).withKey(await makeKey(hub, "other", "--admin"));
  });
  after(async () => {
    await hub?.stop();
    decoy?.close();
    canary?.close();
  });

  it("are reached in each of these ways where that is allowed, or the canary would prove nothing", async (t) => {
    const open = await spawnZaguan({ args: ["--allow-private"] });
    t.after(() => open.stop());
    const there = new RegistryClient(open.url).withKey(await makeKey(open, "other", "--admin"));
    for (const [index, [what, hand]] of Object.entries(SINKS).entries()) {
      await hand(there, `http://127.0.0.1:${canary.port}/`, `open${index}`);
      assert.ok(canary.hits > 0, what);
      canary.hits = 0;
    }
  });

  for (const [what, hand] of Object.entries(SINKS)) {
    it(`are not reached by way of ${what}`, async () => {
      const some = urls.filter((_, index) => index % EVERY === 0);
      await inFlight(some.length, AT_ONCE, async (index) => {
        const before = canary.hits;
        await hand(http, some[index] ?? "", `inner${index}`);
        assert.equal(canary.hits, before, `reached by ${some[index]}`);
      });
    });
  }

  it("are not reached by names that lead elsewhere the next time, or by redirects", async () => {
    const sinks = Object.values(SINKS);
    await inFlight(REBOUND, AT_ONCE, async (index) => {
      const url = `http://name${index}.rebind.test:${canary.port}/`;
      for (let time = 0; time < 2; time++) await sinks[index % sinks.length]?.(http, url, `rebound${index}-${time}`);
    });
    assert.ok(decoyHits > 0, "no name led anywhere");
    const tried = Math.ceil(urls.length / EVERY) * sinks.length;
    figure(
      15,
      "connections inside by addresses",
      `${canary.hits} of ${tried} (${urls.length} addresses, ${sinks.length} places)`,
    );
    figure(15, "connections inside by changing names", `${canary.hits} of ${REBOUND} names`);
    assert.equal(canary.hits, 0);
  });
});

function documentAt(url: string): string {
  const paths = { "/x": { get: { operationId: "look", responses: { 200: { description: "ok" } } } } };
  return JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, servers: [{ url }], paths });
}

async function callImported(http: RegistryClient, name: string): Promise<void> {
  for (const tool of [`${name}__look`, "look"]) await http.call("/mcp", tool, {});
}
