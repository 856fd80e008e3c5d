/**
 * The hub is not its own local user. What it connects to never leads to its own doors, by whatever name or way; hubs in a
 * circle are refused where the circle closes; and one hub at another's door is somebody with a key, or nobody.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { closing, opened } from "../support/closing.ts";
import { type Answered, RegistryClient } from "../support/registry-client.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import { askUntil, makeKey } from "../support/seed-003.ts";
import { openSocket } from "../support/socket-client.ts";
import { type SpawnedZaguan, zaguanCommand } from "../support/spawn-zaguan.ts";

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A proxy that passes bytes on and says nothing of it, and a hub behind it that is called by the proxy's name. */
async function openedBehindProxy(): Promise<{ readonly hub: SpawnedZaguan; readonly proxy: string }> {
  const server = createTcpServer((socket) => {
    const onward = connect(Number(new URL(hub.url).port), "127.0.0.1");
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const)
      from.on("error", () => to.destroy()).pipe(to);
  });
  const host = `127.0.0.1:${await listening(server)}`;
  const hub = await opened({ args: ["--allow-private"], config: { auth: { allowedHosts: [host] } } });
  return { hub, proxy: host };
}

/** The names of all keys, which only somebody with every right reads. */
async function keysOf(hub: SpawnedZaguan): Promise<string[]> {
  return (await new RegistryClient(hub.url).done("GET", "/keys")).map(({ name }: { name: string }) => name);
}

/** How a server that was registered stands, once it was tried. */
async function lastErrorOf(http: RegistryClient, name: string): Promise<string> {
  const attempt = await http.post(`/mcp/servers/${name}/discover`);
  assert.notEqual(attempt.status, 200, `${name} was reached: ${attempt.text}`);
  return attempt.text;
}

describe("an API tool that points at the hub", () => {
  let hub: SpawnedZaguan;
  let local: RegistryClient;
  let user: RegistryClient;
  let proxy: string;
  before(async () => {
    ({ hub, proxy } = await openedBehindProxy());
    local = new RegistryClient(hub.url);
    user = local.withKey(await makeKey(hub, "plain"));
  });

  async function describeTool(code: string, baseUrl: string, endpointPath: string, httpMethod: string): Promise<void> {
    const bodyPayloadTemplate = httpMethod === "POST" ? '{"name":"mine","admin":true}' : undefined;
    const tool = { name: code, code, description: code, baseUrl, endpointPath, httpMethod, bodyPayloadTemplate };
    await local.done("POST", "/admin/tools/api", { ...tool, parameters: [] });
  }

  it("makes no key for whoever calls it, whatever address it has", async () => {
    const { port } = new URL(hub.url);
    const names = ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "127.1", "[::ffff:0:0]"];
    for (const [index, name] of names.entries()) {
      await describeTool(`take${index}`, `http://${name}:${port}`, "/keys", "POST");
      const { text } = await user.call("/mcp", `take${index}`, {});
      assert.match(text, /OWN_ADDRESS|HUB_LOOP|is this hub's own/, `${name}: ${text}`);
    }
    assert.deepEqual(await keysOf(hub), ["plain"]);
  });

  it("is refused after a redirect too", async () => {
    const site = createServer((_request, response) => response.writeHead(302, { location: `${hub.url}/keys` }).end());
    await describeTool("look", `http://127.0.0.1:${await listening(site)}`, "/", "GET");
    const { text } = await user.call("/mcp", "look", {});
    assert.match(text, /is this hub's own/);
    assert.doesNotMatch(text, /plain/);
  });

  it("has no rights by way of a proxy that says nothing of itself", async () => {
    await describeTool("round", `http://${proxy}`, "/keys", "POST");
    const { text } = await user.call("/mcp", "round", {});
    assert.match(text, /508/, text);
    assert.deepEqual(await keysOf(hub), ["plain"]);
  });

  it("is told why in the caller's language", async () => {
    for (const [language, words] of [
      ["es", /es la de este mismo hub/],
      ["fr", /est celle de ce hub/],
      ["zh", /本中枢自己的地址/],
    ] as const) {
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "take0", arguments: {} } };
      assert.match((await user.post("/mcp", message, { "accept-language": language })).text, words);
    }
  });
});

describe("a hub that listens on every address", () => {
  it("does not attach itself by any of them", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-test-"));
    closing.push(() => rmSync(folder, { recursive: true, force: true }));
    const key = (await runZaguan(["key", "create", "owner", "--admin", "--data", "data"], folder)).stdout.trim();
    const hub = await opened({ folder, args: ["--host", "0.0.0.0", "--allow-private"] });
    const http = new RegistryClient(hub.url).withKey(key);
    const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const names = own.map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address));
    for (const [index, name] of names.filter((one) => !one.startsWith("[fe80")).entries()) {
      const baseUrl = `http://${name}:${new URL(hub.url).port}/mcp`;
      const headers = { authorization: `Bearer ${key}` };
      const attempt = await http.post("/mcp/servers", { name: `self${index}`, baseUrl, authType: "none", headers });
      assert.equal(attempt.body?.code, "OWN_ADDRESS", `${name}: ${attempt.text}`);
    }
  });
});

describe("a hub as a server of itself", () => {
  let hub: SpawnedZaguan;
  let local: RegistryClient;
  let proxy: string;
  before(async () => {
    ({ hub, proxy } = await openedBehindProxy());
    local = new RegistryClient(hub.url);
  });

  it("is refused by every transport, in the answer to its registration, and is not kept", async () => {
    const { port } = new URL(hub.url);
    for (const [index, url] of [
      `http://localhost:${port}/mcp`,
      `http://127.0.0.1:${port}/sse`,
      `ws://localhost:${port}/ws`,
      `ws://0.0.0.0:${port}/mcp`,
    ].entries()) {
      const input = { name: `self${index}`, baseUrl: url, authType: "none" };
      const { status, body, text } = await local.post("/mcp/servers", input);
      assert.deepEqual([status, body?.code], [403, "OWN_ADDRESS"], `${url}: ${text}`);
      assert.equal((await local.get(`/mcp/servers/self${index}`)).status, 404);
    }
  });

  it("is refused as the new address of a server, which stays as it is", async () => {
    const before = await local.done("POST", "/mcp/servers", {
      name: "moved",
      baseUrl: "http://127.0.0.1:9/mcp",
      authType: "none",
    });
    const { body, text } = await local.patch("/mcp/servers/moved", { baseUrl: `${hub.url}/mcp` });
    assert.equal(body?.code, "OWN_ADDRESS", text);
    assert.equal((await local.done("GET", "/mcp/servers/moved")).baseUrl, before.baseUrl);
  });

  it("is refused by `zaguan add`, which writes nothing", async () => {
    const { port } = new URL(hub.url);
    for (const host of ["127.0.0.1", "localhost", "0.0.0.0"]) {
      const words = ["add", "myself", `http://${host}:${port}/mcp`, "--data", "data", "--config", "zaguan.json"];
      const { code, stderr } = await runZaguan(words, hub.folder);
      assert.match(stderr, /is this hub's own/);
      assert.equal(code, 1);
    }
    assert.doesNotMatch(readFileSync(hub.configFile, "utf8"), /myself/);
  });

  it("is broken, with the reason, where the file names it", async () => {
    const filed = await opened();
    filed.writeConfig({ mcpServers: { myself: { url: `${filed.url}/mcp`, zaguan: { allowPrivate: true } } } });
    const told = await askUntil(
      "it is broken",
      async () => (await new RegistryClient(filed.url).get("/mcp/servers/myself")).body,
      (one) => one?.state === "broken",
    );
    assert.match(told.lastError, /this hub's own/);
  });

  it("is refused behind a proxy, with its own key, by HTTP and by WebSocket", async () => {
    const headers = { authorization: `Bearer ${await makeKey(hub, "itself")}` };
    for (const [name, baseUrl] of [
      ["proxied", `http://${proxy}/mcp`],
      ["proxied-socket", `ws://${proxy}/ws`],
    ] as const) {
      await local.done("POST", "/mcp/servers", { name, baseUrl, authType: "none", headers });
      assert.match(await lastErrorOf(local, name), /leads back to this hub/, name);
    }
  });
});

describe("two hubs on one machine", () => {
  let one: SpawnedZaguan;
  let two: SpawnedZaguan;
  let atOne: RegistryClient;
  let atTwo: RegistryClient;
  before(async () => {
    one = await opened({ args: ["--allow-private"] });
    two = await opened({ args: ["--allow-private"] });
    atOne = new RegistryClient(one.url);
    atTwo = new RegistryClient(two.url);
  });

  it("do not take each other for the local user", async () => {
    await atOne.done("POST", "/mcp/servers", { name: "keyless", baseUrl: `${two.url}/mcp`, authType: "none" });
    assert.match(await lastErrorOf(atOne, "keyless"), /it refused our credentials \(HTTP 401\)/);
    await atOne.done("DELETE", "/mcp/servers/keyless");
  });

  it("serve each other with the rights of a key", async () => {
    const key = await makeKey(two, "one", "--tools", "get_all_states");
    const headers = { authorization: `Bearer ${key}` };
    const tools = await atOne.found("two", `${two.url}/mcp`, { headers });
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["get_all_states"],
    );
    assert.match(await atOne.textOf("/mcp", "two__get_all_states", {}), /lights/);
  });

  it("are refused in a circle where it closes, and the way that was there before goes on", async () => {
    const headers = { authorization: `Bearer ${await makeKey(one, "two")}` };
    await atTwo.done("POST", "/mcp/servers", { name: "one", baseUrl: `${one.url}/mcp`, authType: "none", headers });
    assert.match(await lastErrorOf(atTwo, "one"), /leads back to this hub/);
    assert.match(await atOne.textOf("/mcp", "two__get_all_states", {}), /lights/);
  });
});

describe("a request that says which hubs it has passed", () => {
  let hub: SpawnedZaguan;
  let key: string;
  before(async () => {
    hub = await opened();
    key = await makeKey(hub, "other", "--admin");
  });

  function asked(via: string | string[], withKey: boolean): Promise<Pick<Answered, "status" | "text">> {
    const headers = { "zaguan-via": via, ...(withKey && { authorization: `Bearer ${key}` }) };
    const { promise, resolve, reject } = Promise.withResolvers<Pick<Answered, "status" | "text">>();
    const outgoing = request(`${hub.url}/keys`, { headers }, async (response) => {
      const chunks = await response.toArray();
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
    });
    outgoing.on("error", reject).end();
    return promise;
  }

  it("has the rights of its key, and none without one", async () => {
    assert.equal((await asked("1 habcdefghijk", true)).status, 200);
    for (const via of ["1 habcdefghijk", "", "nonsense", "-1", ["", ""]])
      assert.equal((await asked(via, false)).status, 401, JSON.stringify(via));
  });

  it("is refused after more than five hubs", async () => {
    assert.equal((await asked("5 habcdefghijk", true)).status, 200);
    const { status, text } = await asked("6 habcdefghijk", true);
    assert.equal(status, 508);
    assert.match(text, /HUB_LOOP.*6 hubs|6 hubs.*HUB_LOOP/s);
    assert.equal((await asked(["1 habc", "9999 hdef"], true)).status, 508);
  });
});

describe("what a limited key says of the hubs that it passed", () => {
  let hub: SpawnedZaguan;
  let local: RegistryClient;
  let authorization: string;
  before(async () => {
    hub = await opened({ args: ["--allow-private"] });
    local = new RegistryClient(hub.url);
    authorization = `Bearer ${await makeKey(hub, "limited", "--tools", "none")}`;
  });

  /** It stays connected, and is on the way of all that the hub asks meanwhile. */
  async function connected(via: string): Promise<void> {
    const { socket } = await openSocket(`${hub.url}/ws`, { headers: { authorization, "zaguan-via": via } });
    closing.push(() => socket.terminate());
  }

  it("adds no words of its own to what others ask", async () => {
    const told: unknown[] = [];
    const site = createServer(({ headers }, response) => {
      told.push(headers["zaguan-via"]);
      response.end("{}");
    });
    const tool = { name: "site", code: "site", description: "site", endpointPath: "/", httpMethod: "GET" };
    const baseUrl = `http://127.0.0.1:${await listening(site)}`;
    await local.done("POST", "/admin/tools/api", { ...tool, baseUrl, parameters: [] });
    await local.textOf("/mcp", "site", {});
    await connected(`1 ${"a".repeat(14_000)} ${"h".repeat(13)}`);
    await local.textOf("/mcp", "site", {});
    const [alone, beside] = told.map(String) as [string, string];
    assert.equal(beside, `${alone.replace(/^1/, "2")} ${"h".repeat(13)}`);
  });

  it("is no number of hubs without as many ids, and shuts no hub behind us", async () => {
    const behind = await opened({ args: ["--allow-private"] });
    const headers = { authorization: `Bearer ${await makeKey(behind, "front")}` };
    await local.found("behind", `${behind.url}/mcp`, { headers });
    await connected("5 x");
    assert.match(await local.textOf("/mcp", "behind__get_all_states", {}), /lights/);
  });
});

describe("a hub whose configuration starts a hub on the same configuration", () => {
  it("gets a child that refuses to start, and no more processes", async () => {
    const hub = await opened();
    const files = ["--data", `${hub.folder}/data`, "--config", hub.configFile];
    hub.writeConfig({ mcpServers: { again: zaguanCommand("stdio", ...files) } });
    const local = new RegistryClient(hub.url);
    const log = await askUntil(
      "the child says why it ends",
      async () => {
        const servers = (await local.get("/mcp/servers")).body as { name: string; log: readonly string[] }[];
        await local.names("/mcp");
        return servers.find(({ name }) => name === "again")?.log.join("\n") ?? "";
      },
      (text) => /circle/.test(text),
    );
    assert.match(log, /started by a hub with the same configuration and data folder/);
  });
});
