/**
 * The sessions of seed 003 at a real hub: the id that a client chooses, whose it is, when it ends, and that it outlives the
 * process. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "../support/line-rpc.ts";
import { type Answered, RegistryClient } from "../support/registry-client.ts";
import {
  assertBridged,
  assertBridgeError,
  BridgeClient,
  CALL_HOUSE,
  INITIALIZE,
  makeKey,
  timeIn,
} from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const SUGGESTION = "Call /mcp/initialize to create a new session";

let hub: SpawnedZaguan;
let local: RegistryClient;
let ana: RegistryClient;
let berta: RegistryClient;
before(async () => {
  hub = await spawnZaguan();
  local = new RegistryClient(hub.url);
  ana = local.withKey(await makeKey(hub, "ana"));
  berta = local.withKey(await makeKey(hub, "berta", "--tools", "get_*"));
});
after(() => hub?.stop());

const choose = (http: RegistryClient, session_id: unknown): Promise<Answered> =>
  http.post("/mcp/initialize", { ...INITIALIZE, session_id });

describe("an id of the client's choosing", () => {
  it("is the session's", async () => {
    for (const chosen of ["custom-session-id", "a", "Sesion_2.casa", "0f8fad5b-d9cb-469f-a165-70867728950e"]) {
      assert.equal(assertBridged(await choose(local, chosen), 1).result.session_id, chosen);
      assertBridged(await new BridgeClient(local, chosen).call(CALL_HOUSE), 1);
    }
  });

  for (const [what, malformed] of [
    ["a space", "two words"],
    ["a line break", "a\r\nx-evil: 1"],
    ["a zero byte", "a\u0000b"],
    ["letters that no header carries", "sesión-😀"],
    ["ten thousand characters", "x".repeat(10_000)],
    ["a number", 42],
    ["an object", { id: "a" }],
    ["a list", ["a"]],
  ] as const) {
    it(`is refused if it is malformed: ${what}`, async () => {
      const { status, text, body } = await choose(local, malformed);
      assert.deepEqual([status, body?.error?.code], [400, -32602], text);
      assert.match(text, /session_id/, "the answer says what was wrong");
    });
  }

  it("is refused if it is another's, whose session stays as it is", async () => {
    const session = await BridgeClient.open(ana, { session_id: "taken" });
    const { status, text, body } = await choose(berta, "taken");
    assert.ok(status >= 400 && status < 500, text);
    assert.ok(body.error.code < 0 && !("result" in body), text);
    assertBridged(await session.call(CALL_HOUSE), 1);
  });

  it("does no harm to the session if its own client asks for it again", async () => {
    const session = await BridgeClient.open(local, { session_id: "again" });
    const { status, text } = await choose(local, "again");
    assert.ok(status < 500, text);
    assertBridged(await session.call(CALL_HOUSE), 1);
  });

  it("is free again when its session has ended", async () => {
    await (await BridgeClient.open(ana, { session_id: "reused" })).end();
    const session = await BridgeClient.open(berta, { session_id: "reused" });
    assertBridged(await session.call(CALL_HOUSE), 1);
  });
});

describe("a session and its principal", () => {
  let session: BridgeClient;
  before(async () => {
    session = await BridgeClient.open(ana);
  });

  it("others are told that there is no such session", async () => {
    for (const http of [berta, local]) {
      const stranger = new BridgeClient(http, session.sessionId);
      for (const answer of [await stranger.list(), await stranger.call(CALL_HOUSE)]) {
        const { error } = assertBridgeError(answer, 404, -32001);
        assert.equal(error.data.expired_at ?? null, null, "nothing of it is told");
      }
    }
  });

  it("others cannot end it", async () => {
    assert.equal((await new BridgeClient(berta, session.sessionId).end()).status, 404);
    assertBridged(await session.call(CALL_HOUSE), 1);
  });

  it("its owner sees what the owner may use, and no more", async () => {
    const limited = await BridgeClient.open(berta);
    const { result, bridge_info } = assertBridged(await limited.list(), 2);
    const names: string[] = result.tools.map(({ name }: Message) => name);
    assert.ok(names.length > 0 && names.every((name) => name.startsWith("get_")), names.join());
    assert.equal(bridge_info.total_tools, names.length);
    const write = { name: "set_light_state", arguments: { name: "salon", on: true } };
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: write };
    assertBridgeError(await limited.call(request), 400, -32602, 1);
  });
});

describe("DELETE /mcp/session", () => {
  it("ends the session", async () => {
    const session = await BridgeClient.open(local);
    const { status, text } = await session.end();
    assert.ok(status === 200 || status === 204, `${status} ${text}`);
    const { error } = assertBridgeError(await session.call(CALL_HOUSE), 404, -32001, 1);
    assert.deepEqual([error.data.session_id, error.data.suggestion], [session.sessionId, SUGGESTION]);
  });

  it("is -32001 for a session that is not there, the second time too", async () => {
    const session = await BridgeClient.open(local);
    await session.end();
    for (const gone of [session, new BridgeClient(local, "never-opened")]) {
      const { status, text, body } = await gone.end();
      assert.deepEqual([status, body?.error?.code], [404, -32001], text);
    }
  });

  it("needs to be told which", async () => {
    const { status, text } = await local.delete("/mcp/session");
    assert.ok(status === 400 || status === 404, text);
    assert.match(text, /X-Session-ID/i);
  });
});

describe("the end of a session that nobody uses", () => {
  const IDLE_MS = 4_000;
  const folder = mkdtempSync(join(tmpdir(), "zaguan-seed-003-idle-"));
  const open = (): Promise<SpawnedZaguan> =>
    spawnZaguan({ folder, config: { limits: { sessionIdleSeconds: IDLE_MS / 1_000 } } });
  let short: SpawnedZaguan;
  let http: RegistryClient;
  before(async () => {
    short = await open();
    http = new RegistryClient(short.url);
  });
  after(async () => {
    await short?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is told in advance", async () => {
    const started = Date.now();
    const { result } = assertBridged(await http.post("/mcp/initialize", INITIALIZE), 1);
    const expires = timeIn(result.expires_at);
    assert.ok(expires >= started + IDLE_MS - 1_000 && expires <= Date.now() + IDLE_MS + 1_000, result.expires_at);
  });

  it("moves with every use", async () => {
    const session = await BridgeClient.open(http);
    for (const end = performance.now() + IDLE_MS * 1.75; performance.now() < end; await sleep(IDLE_MS / 8)) {
      assertBridged(await session.list(), 2);
      assertBridged(await session.call(CALL_HOUSE), 1);
    }
  });

  it("comes: -32001 as printed", async () => {
    const session = await BridgeClient.open(http, { session_id: "expired-session-id" });
    const lastUse = Date.now();
    const answer = await untilExpired(session, { "x-request-id": "req-12345" });
    const { error, bridge_info } = assertBridgeError(answer, 404, -32001, 1);
    assert.equal(error.message, "Session expired");
    assert.deepEqual([error.data.session_id, error.data.suggestion], ["expired-session-id", SUGGESTION]);
    const expired = timeIn(error.data.expired_at);
    assert.ok(expired >= lastUse + IDLE_MS - 1_000 && expired <= Date.now() + 1_000, error.data.expired_at);
    assert.equal(bridge_info.request_id, "req-12345");
  });

  it("is the end for lists too, and a new session may be opened", async () => {
    const gone = new BridgeClient(http, "expired-session-id");
    assertBridgeError(await gone.list(), 404, -32001, 2);
    assertBridged(await (await BridgeClient.open(http)).call(CALL_HOUSE), 1);
  });

  it("comes while the process is away, as well", async () => {
    const session = await BridgeClient.open(http);
    await short.stop();
    await sleep(IDLE_MS + 1_000);
    short = await open();
    http = new RegistryClient(short.url);
    assertBridgeError(await new BridgeClient(http, session.sessionId).call(CALL_HOUSE), 404, -32001, 1);
  });

  /** A use would put the end off: we ask only when it must have come. */
  async function untilExpired(session: BridgeClient, headers: Record<string, string>): Promise<Answered> {
    await sleep(IDLE_MS + 1_500);
    return session.call(CALL_HOUSE, headers);
  }
});

describe("a restart with the same data", () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-seed-003-restart-"));
  let running: SpawnedZaguan;
  const start = async (): Promise<RegistryClient> => {
    running = await spawnZaguan({ folder });
    return new RegistryClient(running.url);
  };
  after(async () => {
    await running?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("keeps sessions, whose they are, and that they ended", async () => {
    const first = await start();
    const key = await makeKey(running, "ana");
    const mine = await BridgeClient.open(first, { session_id: "over-the-night" });
    const anas = await BridgeClient.open(first.withKey(key));
    const ended = await BridgeClient.open(first);
    await ended.end();
    await running.stop();

    const second = await start();
    assertBridged(await new BridgeClient(second, mine.sessionId).call(CALL_HOUSE), 1);
    assertBridged(await new BridgeClient(second.withKey(key), anas.sessionId).list(), 2);
    assertBridgeError(await new BridgeClient(second, anas.sessionId).list(), 404, -32001);
    assertBridgeError(await new BridgeClient(second, ended.sessionId).list(), 404, -32001);
    assert.equal((await choose(second.withKey(key), "over-the-night")).status >= 400, true, "still taken");
  });

  it("keeps them when the process was killed", async () => {
    await running.stop();
    const session = await BridgeClient.open(await start());
    assertBridged(await session.call(CALL_HOUSE), 1);
    await running.kill();
    assertBridged(await new BridgeClient(await start(), session.sessionId).call(CALL_HOUSE), 1);
  });
});
