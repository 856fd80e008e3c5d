/** Seed 001 §7: what the registry refuses, with the field that is wrong, and what nobody may reach through it. */
import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { fieldsIn, RegistryClient } from "../support/registry-client.ts";
import { StandIn } from "../support/registry-servers.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const PUBLIC = "https://mcp.example.org/mcp";
const PRIVATE = [
  "http://10.0.0.1/mcp",
  "http://192.168.1.20:8080",
  "http://172.16.0.1/",
  "http://169.254.169.254/latest/meta-data",
  "http://[fd00::1]/mcp",
  "http://[::ffff:10.0.0.1]/",
  "http://167772161/",
  "ws://10.0.0.1/mcp",
];
const LOOPBACK = ["http://127.0.0.1:1/", "http://[::1]:1/", "http://localhost:1/mcp", "http://2130706433:1/"];
const LEDGER_ARGS = ["test/support/ledger-server.mjs"];

let hub: SpawnedZaguan;
let standIn: StandIn;
let client: RegistryClient;
let plain: RegistryClient;
let keyed: RegistryClient;
let limited: RegistryClient;
before(async () => {
  standIn = await StandIn.start();
  hub = await spawnZaguan({ config: { auth: { allowedCommands: [process.execPath] } } });
  client = new RegistryClient(hub.url);
  plain = client.withKey(await makeKey("plain"));
  keyed = client.withKey(await makeKey("keyed", "--admin"));
  limited = client.withKey(await makeKey("limited", "--tools", "get_*"));
});
after(async () => {
  await hub.stop();
  await standIn.close();
});

async function makeKey(name: string, ...words: readonly string[]): Promise<string> {
  const { stdout } = await runZaguan(["key", "create", name, ...words, "--data", "data"], hub.folder);
  return stdout.trim();
}

describe("POST /mcp/servers refuses, naming the field", () => {
  for (const [what, body, field] of [
    ["no name", { baseUrl: PUBLIC }, "name"],
    ["an empty name", { name: "", baseUrl: PUBLIC }, "name"],
    ["a name of two lines", { name: "a\nb", baseUrl: PUBLIC }, "name"],
    ["a name that is a number", { name: 7, baseUrl: PUBLIC }, "name"],
    ["the name of the house", { name: "house", baseUrl: PUBLIC }, "name"],
    ["no address at all", { name: "a1" }, "baseUrl"],
    ["an empty address", { name: "a2", baseUrl: "" }, "baseUrl"],
    ["an address and a program", { name: "a3", baseUrl: PUBLIC, command: process.execPath }, "baseUrl|command"],
    ["something that is no address", { name: "a4", baseUrl: "mcp.example.org" }, "baseUrl"],
    ["a file", { name: "a5", baseUrl: "file:///etc/passwd" }, "baseUrl"],
    ["another scheme", { name: "a6", baseUrl: "ftp://example.org/" }, "baseUrl"],
    ["javascript", { name: "a7", baseUrl: "javascript:alert(1)" }, "baseUrl"],
    ["an unknown kind of authentication", { name: "a8", baseUrl: PUBLIC, authType: "basic" }, "authType"],
    ["a header with a line end", { name: "a9", baseUrl: PUBLIC, headers: { "X-A": "b\r\nX-C: d" } }, "headers"],
    ["arguments that are no list", { name: "a10", command: process.execPath, args: "y" }, "args"],
  ] as const) {
    it(what, async () => {
      const answer = await client.post("/mcp/servers", body);
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.headers.get("content-type") ?? "", /^application\/(?:problem\+)?json/);
      assert.ok(answer.body.detail);
      assert.match(fieldsIn(answer).join(), new RegExp(`(?:^|,)(?:${field})`));
    });
  }

  it("a field that it does not know, with the one that was meant", async () => {
    const answer = await client.post("/mcp/servers", { name: "a", baseUrl: PUBLIC, authTipe: "none" });
    assert.equal(answer.status, 400);
    assert.deepEqual(fieldsIn(answer), ["authTipe"]);
    assert.match(answer.text, /authType/);
  });

  it("several at once, each by its name", async () => {
    const answer = await client.post("/mcp/servers", { name: "", baseUrl: "x", authType: "y" });
    assert.deepEqual([...new Set(fieldsIn(answer))].sort(), ["authType", "baseUrl", "name"]);
  });

  it("what is no JSON, no object, or not said to be JSON", async () => {
    for (const body of ['{"name":', "[]", '"a"', "null", "7", ""]) {
      assert.equal((await client.post("/mcp/servers", body)).status, 400, body);
    }
    const plain = { "content-type": "text/plain" };
    assert.equal((await client.post("/mcp/servers", '{"name":"a"}', plain)).status, 415);
    assert.equal((await client.post("/mcp/servers", `{"name":"${"a".repeat(2_000_000)}"}`)).status, 413);
  });

  it("in the caller's language", async () => {
    const body = { name: "a" };
    const texts = ["en", "es", "fr", "zh"].map(async (language) => {
      return (await client.post("/mcp/servers", body, { "accept-language": language })).body.detail;
    });
    assert.equal(new Set(await Promise.all(texts)).size, 4);
  });
});

describe("a name that is taken", () => {
  it("is 409, for a server of the configuration or the house as well", async () => {
    await client.done("POST", "/mcp/servers", { name: "tomado", baseUrl: PUBLIC });
    const answer = await client.post("/mcp/servers", { name: "tomado", baseUrl: PUBLIC });
    assert.deepEqual([answer.status, answer.body.code], [409, "NAME_TAKEN"]);
    await client.done("POST", "/mcp/servers", { name: "otro", baseUrl: PUBLIC });
    assert.equal((await client.patch("/mcp/servers/otro", { name: "tomado" })).status, 409);
  });

  it("is 409 for all but one of many who want it at once", async () => {
    const body = { name: "carrera", baseUrl: PUBLIC };
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.post("/mcp/servers", body)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)]);
  });
});

describe("a private address", () => {
  it("is refused for everybody", async () => {
    for (const caller of [client, keyed]) {
      for (const baseUrl of PRIVATE) await assertRefused(caller, baseUrl);
    }
  });

  it("is refused in a change too", async () => {
    await client.done("POST", "/mcp/servers", { name: "mudanza", baseUrl: PUBLIC });
    const { status } = await client.patch("/mcp/servers/mudanza", { baseUrl: "http://10.0.0.1/" });
    assert.ok(status === 403 || status === 400, `${status}`);
    assert.equal((await client.get("/mcp/servers/mudanza")).body.baseUrl, PUBLIC);
  });

  it("is refused on this machine for an administrator with a key, and open to the local one", async () => {
    for (const baseUrl of [...LOOPBACK, standIn.url]) await assertRefused(keyed, baseUrl);
    assert.deepEqual(standIn.told, []);
    for (const [index, baseUrl] of LOOPBACK.entries()) {
      const answer = await client.post("/mcp/servers", { name: `local-${index}`, baseUrl });
      assert.equal(answer.status, 201, `${baseUrl}: ${answer.text}`);
    }
  });

  it("is not what a public one is, which an administrator with a key registers", async () => {
    assert.equal((await keyed.post("/mcp/servers", { name: "publico", baseUrl: PUBLIC })).status, 201);
  });

  it("is open to all where the configuration allows it", async () => {
    const allowing = await spawnZaguan({ args: ["--allow-private"] });
    try {
      const { stdout } = await runZaguan(["key", "create", "keyed", "--admin", "--data", "data"], allowing.folder);
      const holder = new RegistryClient(allowing.url).withKey(stdout.trim());
      const { status, text } = await holder.post("/mcp/servers", { name: "a", baseUrl: "http://10.0.0.1/" });
      assert.equal(status, 201, text);
      assert.deepEqual((await holder.found("b", standIn.url)).length, 1);
    } finally {
      await allowing.stop();
    }
  });

  async function assertRefused(caller: RegistryClient, baseUrl: string): Promise<void> {
    const { status, body, text } = await caller.post("/mcp/servers", { name: "privado", baseUrl });
    assert.deepEqual([status, body.code], [403, "FORBIDDEN_ADDRESS"], `${baseUrl}: ${text}`);
    assert.equal((await client.get("/mcp/servers/privado")).status, 404);
  }
});

describe("a program", () => {
  const program = { name: "programa", command: process.execPath, args: LEDGER_ARGS };

  it("is refused for the holder of a plain key, and for the administrator unless it is allowed", async () => {
    for (const caller of [plain, limited]) assert.equal((await caller.post("/mcp/servers", program)).status, 403);
    const other = { name: "programa", command: "/bin/sh", args: ["-c", "echo"] };
    for (const caller of [client, keyed]) assert.equal((await caller.post("/mcp/servers", other)).status, 403);
    assert.equal((await client.get("/mcp/servers/programa")).status, 404);
  });

  it("is registered with an administrator's key if it is allowed", async () => {
    const admin = client.withKey(await makeKey("admin", "--admin"));
    const { status, text } = await admin.post("/mcp/servers", { ...program, name: "programa-2" });
    assert.equal(status, 201, text);
    assert.equal(
      (await admin.post("/mcp/servers", { ...program, name: "programa-3", command: "/bin/sh" })).status,
      403,
    );
  });

  it("is registered by the local administrator if it is allowed", async () => {
    assert.equal((await client.post("/mcp/servers", program)).status, 201);
    assert.equal((await plain.patch("/mcp/servers/programa", { args: ["-e", "0"] })).status, 403);
    assert.equal((await client.patch("/mcp/servers/programa", { command: "/bin/sh" })).status, 403);
  });
});

describe("a limited key", () => {
  it("changes nothing", async () => {
    const before = (await client.get("/mcp/servers")).body.map(({ name }: Message) => name);
    for (const [method, path, body] of [
      ["POST", "/mcp/servers", { name: "mio", baseUrl: PUBLIC }],
      ["PATCH", "/mcp/servers/tomado", { name: "mio" }],
      ["DELETE", "/mcp/servers/tomado", undefined],
      ["POST", "/mcp/servers/tomado/discover", undefined],
      ["POST", "/agents", { name: "mio" }],
    ] as const) {
      const { status, text } = await limited.send(method, path, body);
      assert.equal(status, 403, `${method} ${path}: ${text}`);
    }
    assert.deepEqual(
      (await client.get("/mcp/servers")).body.map(({ name }: Message) => name),
      before,
    );
  });
});
