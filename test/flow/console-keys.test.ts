/** `/keys` at a real hub: what a key made there may do, and that it ends for everybody the moment it is revoked. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import { openSocket, type SocketClient, type Spoken } from "../support/socket-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

let hub: SpawnedZaguan;
let local: RegistryClient;
before(async () => {
  hub = await spawnZaguan();
  local = new RegistryClient(hub.url);
});
after(() => hub.stop());

async function made(name: string, rights: object = {}): Promise<Message & { client: RegistryClient }> {
  const key = await local.done("POST", "/keys", { name, ...rights });
  return { ...key, client: local.withKey(key.key) };
}

const names = async (): Promise<string[]> => (await local.done("GET", "/keys")).map(({ name }: Message) => name);
const zaguan = (...words: readonly string[]) => runZaguan([...words, "--data", "data"], hub.folder);

describe("a key that was made over HTTP", () => {
  it("works at once, with the rights that were said", async () => {
    const [plain, limited, admin] = await Promise.all([
      made("plain"),
      made("limited", { allow: ["get_*"] }),
      made("admin", { admin: true }),
    ]);
    assert.equal((await plain.client.names("/mcp")).length, 6);
    assert.deepEqual(await limited.client.names("/mcp"), ["get_presence", "get_alarm_status", "get_all_states"]);
    for (const { client } of [plain, limited]) {
      for (const [method, path, body] of [
        ["GET", "/keys", undefined],
        ["POST", "/keys", { name: "mine" }],
        ["DELETE", "/keys/admin", undefined],
        ["DELETE", "/keys/nobody", undefined],
      ] as const) {
        const { status, body: problem } = await client.send(method, path, body);
        assert.deepEqual([status, problem.code], [403, "FORBIDDEN"], `${method} ${path}`);
      }
    }
    assert.equal((await admin.client.get("/keys")).status, 200);
    assert.equal((await admin.client.post("/keys", { name: "of an admin" })).status, 201);
    assert.equal((await admin.client.delete("/keys/of%20an%20admin")).status, 204);
  });

  it("is told this once, and its hash to nobody", async () => {
    const { key, hint } = await made("secret");
    assert.equal(hint, `${key.slice(0, 8)}…`);
    const { text, body } = await local.get("/keys");
    assert.ok(!text.includes(key) && !/"hash"/.test(text) && !/[0-9a-f]{64}/.test(text));
    const shown = body.find(({ name }: Message) => name === "secret");
    assert.deepEqual(Object.keys(shown).sort(), [
      "admin",
      "agentId",
      "allow",
      "createdUtc",
      "hint",
      "id",
      "lastUsedUtc",
      "name",
    ]);
    assert.ok(!(hub.stdout() + hub.stderr()).includes(key));
  });

  it("has a name of its own", async () => {
    await made("twice");
    const both = await Promise.all([1, 2].map(() => local.post("/keys", { name: "at once" })));
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
    const { status, body } = await local.post("/keys", { name: "twice" });
    assert.deepEqual([status, body.code], [409, "NAME_TAKEN"]);
    await local.done("DELETE", "/keys/twice");
    assert.equal((await local.post("/keys", { name: "twice" })).status, 201);
  });

  it("is the same to the command, and the command's are here", async () => {
    await made("from the page");
    const listed = await zaguan("key", "list", "--json");
    assert.ok(JSON.parse(listed.stdout).some(({ name }: Message) => name === "from the page"));
    const created = await zaguan("key", "create", "from the command", "--tools", "get_*");
    const client = local.withKey(created.stdout.trim());
    assert.equal((await client.names("/mcp")).length, 3);
    assert.ok((await names()).includes("from the command"));
    assert.equal((await zaguan("key", "revoke", "from the page")).code, 0);
    assert.ok(!(await names()).includes("from the page"));
    await local.done("DELETE", "/keys/from%20the%20command");
    assert.equal((await client.rpc("/mcp", "tools/list")).status, 401);
  });
});

describe("a key that is revoked over HTTP", () => {
  it("ends at once, though it has just been used", async () => {
    const { client, id } = await made("used");
    for (let n = 0; n < 3; n++) assert.equal((await client.rpc("/mcp", "tools/list")).status, 200);
    assert.equal((await local.delete(`/keys/${id}`)).status, 204);
    assert.equal((await client.rpc("/mcp", "tools/list")).status, 401);
    assert.equal((await local.delete(`/keys/${id}`)).status, 404);
  });

  it("may be the one that came with the request", async () => {
    const { client } = await made("of my own", { admin: true });
    assert.equal((await client.delete("/keys/of%20my%20own")).status, 204);
    assert.equal((await client.get("/keys")).status, 401);
    assert.ok(!(await names()).includes("of my own"));
  });

  it("ends for a socket that is open, too", async () => {
    const { key } = await made("on a socket");
    const socket = await openSocket(`${hub.url}/mcp`, { headers: { authorization: `Bearer ${key}` } });
    const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "get_presence" } });
    assert.ok((await socket.ask(call(1))).result);
    await local.done("DELETE", "/keys/on%20a%20socket");
    const said = await saidUntilCut(socket, call(2));
    assert.deepEqual(
      said.filter(({ error }) => error?.data["code"] !== "UNKNOWN_TOOL"),
      [],
    );
  });

  it("may be an agent's, which is listed with its agent", async () => {
    const agent = await local.agent("ana", "house__get_presence");
    const { key } = await local.done("POST", "/agents/ana/key");
    const ana = local.withKey(key);
    assert.deepEqual(await ana.names("/mcp"), ["get_presence"]);
    assert.equal((await ana.get("/keys")).status, 403);
    assert.equal((await ana.post("/keys", { name: "mine", admin: true })).status, 403);
    const keys: Message[] = await local.done("GET", "/keys");
    const own = keys.find(({ agentId }) => agentId === agent.id);
    assert.deepEqual([own?.admin, own?.allow], [false, null]);
    const socket = await openSocket(`${hub.url}/mcp`, { headers: { authorization: `Bearer ${key}` } });
    await local.done("DELETE", `/keys/${own?.id}`);
    assert.equal((await ana.rpc("/mcp", "tools/list")).status, 401);
    const said = await saidUntilCut(socket, { jsonrpc: "2.0", id: 1, method: "tools/list" });
    assert.deepEqual(
      said.flatMap(({ result }) => result?.["tools"]),
      [],
    );
  });
});

/** What it is answered until the hub cuts it, which is soon after its key was revoked and may be at once. */
async function saidUntilCut(socket: SocketClient, asked: object): Promise<Spoken[]> {
  const said: Spoken[] = [];
  for (;;) {
    const answer = await socket.ask(asked).catch(() => undefined);
    if (!answer) return said;
    said.push(answer);
  }
}

describe("the description of the hub's endpoints", () => {
  it("tells of keys, restarts and previews", async () => {
    const { paths } = await local.done("GET", "/openapi.json");
    const ids = ["/keys", "/keys/{id}", "/mcp/servers/preview", "/mcp/servers/{id}/restart"].flatMap((path) =>
      Object.values(paths[path] as Record<string, Message>).map(({ operationId }) => operationId),
    );
    assert.deepEqual(ids, ["listKeys", "createKey", "revokeKey", "previewServer", "restartServer"]);
  });
});
