/**
 * The official TypeScript client of the 2.x line, which also knows the revision without a handshake: as it comes out of
 * the box, in the mode where it first asks which era we live in, and where it knows no other.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { until } from "../support/processes.ts";
import { type SpawnedZaguan, spawnZaguan, zaguanCommand } from "../support/spawn-zaguan.ts";
import { assertSwitched, HOUSE_TOOLS } from "./support/house.ts";
import { type ConnectOptions, connectV2, type PeerClient } from "./support/official-clients.ts";
import { filesystem, tappedEverything } from "./support/official-servers.ts";

type Mode = readonly [string, ConnectOptions, version: string];

/** What the client of this line has beside the others. */
interface Listening {
  onerror: (error: unknown) => void;
  listen(filter: object): Promise<{ readonly closed: Promise<string>; close(): Promise<void> }>;
}

const HANDSHAKE = "2025-11-25";
const STATELESS = "2026-07-28";
const LONG = "trigger-long-running-operation";

const MODES: readonly Mode[] = [
  ["out of the box", {}, HANDSHAKE],
  ["asking for the era first", { negotiation: "auto" }, STATELESS],
  ["without a handshake", { negotiation: { pin: STATELESS } }, STATELESS],
];

describe("TypeScript client v2 over HTTP", () => {
  let hub: SpawnedZaguan;
  before(async () => {
    hub = await spawnZaguan();
  });
  after(() => hub.stop());

  for (const [mode, options, version] of MODES)
    describe(mode, () => worksWithClient(() => connectV2(`${hub.url}/mcp`, options), version));
});

describe("TypeScript client v2 without a handshake, with a server behind the hub", () => {
  const temp = mkdtempSync(join(tmpdir(), "zaguan-v2-"));
  const tapFile = join(temp, "tap");
  const configWith = (more: object = {}) => ({
    mcpServers: { everything: tappedEverything(tapFile), ...more },
  });
  const lists: string[][] = [];
  let hub: SpawnedZaguan;
  let client: PeerClient;
  before(async () => {
    hub = await spawnZaguan({ config: configWith() });
    const onToolsChanged = (names: string[]): void => void lists.push(names);
    client = await connectV2(`${hub.url}/mcp`, { negotiation: { pin: STATELESS }, onToolsChanged });
  });
  after(async () => {
    await hub.stop();
    await client.close();
    rmSync(temp, { recursive: true, force: true });
  });

  test("progress comes before the result", async () => {
    const seen: unknown[] = [];
    const onprogress = (progress: unknown): void => void seen.push(progress);
    const result = await client.call(LONG, { duration: 0.3, steps: 3 }, { onprogress });
    assert.match(result.content[0]?.text ?? "", /completed/);
    assert.deepEqual(
      seen,
      [1, 2, 3].map((progress) => ({ progress, total: 3 })),
    );
  });

  test("an aborted call is cancelled at the source", async () => {
    const abort = new AbortController();
    const onprogress = (): void => abort.abort("enough");
    await assert.rejects(client.call(LONG, { duration: 20, steps: 200 }, { signal: abort.signal, onprogress }));
    const told = (): boolean => readFileSync(tapFile, "utf8").includes("notifications/cancelled");
    await until("the source was told", told);
  });

  test("the source never sees which revision the client speaks", () => {
    // We ask a server once which era it is of; that tells nothing of any client.
    const lines = readFileSync(tapFile, "utf8").split("\n");
    const others = lines.filter((line) => !line.includes('"method":"server/discover"'));
    assert.equal(others.length, lines.length - 1);
    assert.doesNotMatch(others.join("\n"), /io\.modelcontextprotocol\/|2026-07-28/);
  });

  test("a server added to the configuration is announced on the listening stream", async () => {
    hub.writeConfig(configWith({ added: filesystem(temp) }));
    await until("the new tools are announced", () => lists.at(-1)?.includes("read_text_file") ?? false);
  });
});

describe("TypeScript client v2 over stdio", () => {
  const temp = mkdtempSync(join(tmpdir(), "zaguan-v2-"));
  const target = zaguanCommand("stdio", "--data", join(temp, "data"), "--config", join(temp, "zaguan.json"));
  after(() => rmSync(temp, { recursive: true, force: true }));

  for (const [mode, options, version] of MODES)
    describe(mode, () => worksWithClient(() => connectV2(target, options), version));
});

describe("TypeScript client v2 over stdio without a handshake, with a server behind the hub", () => {
  const temp = mkdtempSync(join(tmpdir(), "zaguan-v2-"));
  const tapFile = join(temp, "tap");
  const configFile = join(temp, "zaguan.json");
  const target = zaguanCommand("stdio", "--data", join(temp, "data"), "--config", configFile);
  const configWith = (more: object = {}): string =>
    JSON.stringify({ mcpServers: { everything: tappedEverything(tapFile), ...more } });
  const lists: string[][] = [];
  const failures: unknown[] = [];
  let client: PeerClient;
  let raw: Listening;
  before(async () => {
    writeFileSync(configFile, configWith());
    const onToolsChanged = (names: string[]): void => void lists.push(names);
    client = await connectV2(target, { negotiation: { pin: STATELESS }, onToolsChanged });
    // A server that takes long to start is not waited for with every call.
    await client.toolsWhen(HOUSE_TOOLS.length + 1);
    raw = client.raw as unknown as Listening;
    raw.onerror = (error) => void failures.push(error);
  });
  after(async () => {
    await client.close();
    rmSync(temp, { recursive: true, force: true });
  });

  test("progress comes before the result", async () => {
    const seen = await client.stepsOf(LONG);
    assert.ok(seen.length >= 2, `only ${seen.length} steps`);
  });

  test("an aborted call is cancelled at the source", async () => {
    const abort = new AbortController();
    const onprogress = (): void => abort.abort("enough");
    await assert.rejects(client.call(LONG, { duration: 20, steps: 200 }, { signal: abort.signal, onprogress }));
    const told = (): boolean => readFileSync(tapFile, "utf8").includes("notifications/cancelled");
    await until("the source was told", told);
  });

  test("a server added to the configuration is announced to the subscription", async () => {
    writeFileSync(configFile, configWith({ added: filesystem(temp) }));
    await until("the new tools are announced", () => lists.at(-1)?.includes("read_text_file") ?? false);
  });

  test("a subscription that the client gives up ends without a word", async () => {
    failures.length = 0;
    const subscription = await raw.listen({ toolsListChanged: true });
    await subscription.close();
    assert.equal(await subscription.closed, "local");
    await client.tools();
    assert.deepEqual(failures, []);
  });
});

function worksWithClient(connect: () => Promise<PeerClient>, version: string): void {
  let client: PeerClient;
  before(async () => {
    client = await connect();
  });
  after(() => client.close());

  test(`it agrees on ${version}`, () => {
    assert.equal(client.raw.getServerVersion()?.name, "zaguan");
    assert.equal(client.raw.getNegotiatedProtocolVersion?.(), version);
    assert.equal(client.raw.getServerCapabilities()?.tools?.listChanged, true);
  });

  test("it lists the house", async () => {
    assert.deepEqual((await client.toolNames()).slice(0, HOUSE_TOOLS.length), HOUSE_TOOLS);
  });

  test("it switches a light", async () => {
    await client.tools();
    assertSwitched(await client.call("set_light_state", { name: "cocina", on: true }));
    assert.deepEqual((await client.call("list_lights_on")).structuredContent, { on: ["cocina"] });
  });

  test("it sees wrong arguments as a result, and an unknown tool as an error", async () => {
    assert.equal((await client.call("set_light_state", { name: 7 })).isError, true);
    await assert.rejects(client.call("no_such_tool"), { code: -32602 });
  });
}
