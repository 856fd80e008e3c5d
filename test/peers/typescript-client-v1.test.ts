/** The official TypeScript client of the 1.x line, over HTTP, HTTP+SSE, WebSocket and stdio. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isRunning, until } from "../support/processes.ts";
import { descendantsOf, type SpawnedZaguan, spawnZaguan, zaguanCommand } from "../support/spawn-zaguan.ts";
import { assertSwitched, HOUSE_TOOLS } from "./support/house.ts";
import { type ConnectOptions, connectV1, type PeerClient } from "./support/official-clients.ts";
import { filesystem, tappedEverything } from "./support/official-servers.ts";

const INVALID_PARAMS = -32602;
const LONG = "trigger-long-running-operation";

interface Setting {
  /** What the source was sent, line by line. */
  readonly tapFile: string;
  connect(options?: ConnectOptions): Promise<PeerClient>;
  writeConfig(config: object): void;
}

describe("TypeScript client v1 over HTTP", () => {
  const temp = mkdtempSync(join(tmpdir(), "zaguan-v1-"));
  const tapFile = join(temp, "tap");
  let hub: SpawnedZaguan;
  before(async () => {
    hub = await spawnZaguan({ config: configWith(tapFile) });
  });
  worksWithClient(() => ({
    tapFile,
    connect: (options) => connectV1(`${hub.url}/mcp`, options),
    writeConfig: (config) => hub.writeConfig(config),
  }));

  after(async () => {
    await hub.stop();
    rmSync(temp, { recursive: true, force: true });
  });

  test("DELETE ends its session for good", async () => {
    const client = await connectV1(`${hub.url}/mcp`);
    const session = client.transport.sessionId ?? "";
    assert.notEqual(session, "");
    assert.equal(await statusOfPing(hub.url, session), 200);
    await client.transport.terminateSession?.();
    assert.equal(client.transport.sessionId, undefined);
    assert.equal(await statusOfPing(hub.url, session), 404);
    await client.close();
  });

  test("many clients have their own sessions", async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => connectV1(`${hub.url}/mcp`)));
    assert.equal(new Set(clients.map(({ transport }) => transport.sessionId)).size, clients.length);
    const lists = await Promise.all(clients.map((client) => client.toolNames()));
    for (const names of lists) assert.deepEqual(names, lists[0]);
    await Promise.all(clients.map((client) => client.close()));
  });
});

for (const [name, address] of [
  ["HTTP+SSE", (url: string) => `${url}/sse`],
  ["WebSocket", (url: string) => `${url.replace("http", "ws")}/mcp`],
] as const) {
  describe(`TypeScript client v1 over ${name}`, () => {
    const temp = mkdtempSync(join(tmpdir(), "zaguan-v1-"));
    const tapFile = join(temp, "tap");
    let hub: SpawnedZaguan;
    before(async () => {
      hub = await spawnZaguan({ config: configWith(tapFile) });
    });
    worksWithClient(() => ({
      tapFile,
      connect: (options) => connectV1(address(hub.url), options),
      writeConfig: (config) => hub.writeConfig(config),
    }));

    after(async () => {
      await hub.stop();
      rmSync(temp, { recursive: true, force: true });
    });
  });
}

describe("TypeScript client v1 over stdio", () => {
  const temp = mkdtempSync(join(tmpdir(), "zaguan-v1-"));
  const tapFile = join(temp, "tap");
  const configFile = join(temp, "zaguan.json");
  const target = zaguanCommand("stdio", "--data", join(temp, "data"), "--config", configFile);
  const writeConfig = (config: object): void => writeFileSync(configFile, JSON.stringify(config));
  before(() => writeConfig(configWith(tapFile)));
  after(() => rmSync(temp, { recursive: true, force: true }));

  worksWithClient(() => ({ tapFile, connect: (options) => connectV1(target, options), writeConfig }));

  test("closing ends the process that it started, and the servers below it", async () => {
    const client = await connectV1(target);
    await client.call("echo", { message: "so that the server runs" });
    const pid = client.transport.pid ?? -1;
    const processes = [pid, ...descendantsOf(pid)];
    assert.ok(processes.length > 1 && processes.every(isRunning), processes.join(" "));
    await client.close();
    await until("all of them are gone", () => !processes.some(isRunning));
  });
});

function worksWithClient(setting: () => Setting): void {
  let client: PeerClient;
  before(async () => {
    client = await setting().connect();
  });
  after(() => client.close());

  test("initialize tells who we are and what we can", () => {
    assert.equal(client.raw.getServerVersion()?.name, "zaguan");
    assert.equal(client.raw.getServerCapabilities()?.tools?.listChanged, true);
    assert.equal(typeof client.raw.getInstructions(), "string");
  });

  test("ping is answered", async () => {
    assert.deepEqual(await client.raw.ping(), {});
  });

  test("listTools shows the house first, then the server of the configuration", async () => {
    const names = await client.toolNames();
    assert.deepEqual(names.slice(0, HOUSE_TOOLS.length), HOUSE_TOOLS);
    assert.ok(names.includes(LONG), names.join(" "));
  });

  test("callTool switches a light, and what comes back fits the tool's own output schema", async () => {
    await client.tools();
    assertSwitched(await client.call("set_light_state", { name: "salon", on: true }));
    assert.deepEqual((await client.call("list_lights_on")).structuredContent, { on: ["salon"] });
    assertSwitched(await client.call("set_light_state", { name: "salon", on: false }));
  });

  test("an unknown tool is a protocol error", async () => {
    await assert.rejects(client.call("no_such_tool"), { code: INVALID_PARAMS, message: /no_such_tool/ });
  });

  test("wrong arguments are a result that the model can read", async () => {
    const result = await client.call("set_light_state", { name: "salon", on: "yes" });
    assert.equal(result.isError, true);
    assert.match(result.content[0]?.text ?? "", /'?on'?.*boolean/);
  });

  test("progress comes through from the source, step by step", async () => {
    const seen = await client.stepsOf(LONG);
    const steps = [1, 2, 3].map((progress) => ({ progress, total: 3 }));
    assert.ok(seen.length >= 2, `only ${seen.length} steps`);
    assert.deepEqual(seen, steps.slice(0, seen.length));
  });

  test("an aborted call is cancelled at the source, and the connection goes on", async () => {
    const { tapFile } = setting();
    const abort = new AbortController();
    const call = client.call(
      LONG,
      { duration: 20, steps: 200 },
      { signal: abort.signal, onprogress: () => abort.abort("enough") },
    );
    await assert.rejects(call, /enough/);
    const called = sentTo(tapFile).filter(({ method }) => method === "tools/call");
    const { id } = called.at(-1) ?? {};
    assert.notEqual(id, undefined);
    const cancelled = (): boolean =>
      sentTo(tapFile).some(
        ({ method, params }) => method === "notifications/cancelled" && params?.["requestId"] === id,
      );
    await until("the source was told of the cancellation", cancelled);
    assert.match((await client.call("echo", { message: "still here" })).content[0]?.text ?? "", /still here/);
  });

  test("a server added to the configuration is announced, and usable at once", async () => {
    const { connect, writeConfig, tapFile } = setting();
    const lists: string[][] = [];
    const watching = await connect({ onToolsChanged: (names) => lists.push(names) });
    const folder = mkdtempSync(join(tmpdir(), "zaguan-added-"));
    try {
      await watching.tools();
      writeConfig(configWith(tapFile, { added: filesystem(folder) }));
      await until("the new tools are announced", () => lists.at(-1)?.includes("read_text_file") ?? false);
      assert.deepEqual((await watching.call("list_directory", { path: folder })).isError ?? false, false);
      writeConfig(configWith(tapFile));
      await until("their end is announced", () => lists.at(-1)?.includes("read_text_file") === false);
    } finally {
      await watching.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

function configWith(tapFile: string, more: object = {}): object {
  return { mcpServers: { everything: tappedEverything(tapFile), ...more } };
}

interface Sent {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

function sentTo(tapFile: string): Sent[] {
  if (!existsSync(tapFile)) return [];
  const lines = readFileSync(tapFile, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Sent);
}

async function statusOfPing(url: string, session: string): Promise<number> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-session-id": session,
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  await response.body?.cancel();
  return response.status;
}
