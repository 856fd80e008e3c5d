/**
 * A voice server of one's own to which the hub dials as a device: hello, envelopes, a server that never says a session's
 * id, uses ids again, and looks for reasons in `result.error`. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { NO_REASON, type ServerLink, XiaozhiServer } from "../support/devices/index.ts";
import type { Message } from "../support/line-rpc.ts";
import { LARGE_TOOL, nameOf, startManyTools } from "../support/many-tools.ts";
import { until } from "../support/processes.ts";
import type { StandIn } from "../support/registry-servers.ts";
import {
  asDevice,
  CONNECTED,
  endpointStatus,
  LATE_MS,
  type OpenHub,
  openHub,
  sizeOf,
  untilListed,
  xiaozhi,
} from "../support/seed-002.ts";
import { askUntil } from "../support/seed-003.ts";

const WHO = { deviceId: "a0:76:4e:aa:bb:cc", clientId: "0d6c1f3a-0000-4000-8000-00000000000a", token: "llave" };

let server: XiaozhiServer;
let many: StandIn;
let house: OpenHub;
let link: ServerLink;
before(async () => {
  many = await startManyTools(60);
  server = await XiaozhiServer.start({ settleMs: 100 });
  const mcpServers = { many: { url: many.url, zaguan: { allowPrivate: true } } };
  house = await openHub({ mcpServers });
  await untilListed(house.http, LARGE_TOOL);
  house.hub.writeConfig({ mcpServers, ...xiaozhi(asDevice(server.url, WHO)) });
  link = await server.next();
});
after(async () => {
  await house?.hub.stop();
  await server?.close();
  await many?.close();
});

describe("we as a device", () => {
  it("say who we are as devices do", () => {
    assert.deepEqual([link.deviceId, link.clientId, link.authorization], [WHO.deviceId, WHO.clientId, "Bearer llave"]);
    assert.equal(link.dial.headers["protocol-version"], "1");
  });

  it("say hello first, with the feature mcp", () => {
    const [first] = link.frames.all;
    assert.deepEqual(
      [first?.frame.type, first?.frame.version, first?.frame.transport, first?.frame.features?.mcp],
      ["hello", 1, "websocket", true],
    );
    assert.equal(first?.frame.audio_params?.format, "opus");
    assert.equal("session_id" in first.frame, false);
  });

  it("put everything else into envelopes with the three keys", () => {
    for (const { frame, text } of link.frames.all.slice(1)) {
      assert.deepEqual(Object.keys(frame).sort(), ["payload", "session_id", "type"], text);
      assert.equal(frame.type, "mcp");
      assert.equal(typeof frame.session_id, "string");
    }
    assert.equal(link.frames.binary, 0);
  });

  it("introduce ourselves, whatever vision we are offered", () => {
    const { protocolVersion, capabilities, serverInfo } = link.initialized.result;
    assert.equal(protocolVersion, "2024-11-05");
    assert.ok(capabilities.tools);
    assert.ok(serverInfo.name && serverInfo.version);
  });

  it("offer the catalogue in pages of 8000 bytes, under the same id each", async () => {
    const names = link.tools?.map(({ name }) => name) ?? [];
    assert.deepEqual(names.toSorted(), (await house.http.names("/mcp")).toSorted());
    assert.ok(link.pages.length > 2);
    const results: Message[] = link.pages.map(({ payload }) => payload.result);
    for (const result of results) assert.ok(sizeOf(result) <= 8_000 || result.tools.length === 1);
    for (const [place, { nextCursor }] of results.slice(0, -1).entries()) {
      assert.equal(nextCursor, results[place + 1].tools[0].name);
    }
  });

  it("are called with ids that begin at 1 again", async () => {
    assert.equal(await link.tellModel(nameOf(3), { prompt: "hola" }), `${nameOf(3)}: hola`);
    assert.equal(await link.tellModel(nameOf(4), { prompt: "你好" }), `${nameOf(4)}: 你好`);
  });

  it("say the reason where the server looks for it", async () => {
    for (const [name, args] of [
      ["no_such_tool", {}],
      ["set_light_state", { on: true }],
      ["set_light_state", { name: "no such lamp", on: true }],
    ] as const) {
      const told = await link.tellModel(name, args);
      assert.ok(told && told !== NO_REASON && !told.startsWith("error:"), `${name}: ${told}`);
    }
  });

  it("pass over what is not for MCP: speech, orders to reboot, sound", async () => {
    const before = link.frames.all.length;
    for (const _ of [1, 2, 3]) link.makeNoise();
    await link.ask({ id: 4_711, method: "ping" });
    assert.equal(link.frames.all.length, before + 1);
  });

  it("are in the status", async () => {
    const [endpoint] = await endpointStatus(house.http);
    assert.equal(endpoint?.state, CONNECTED);
    assert.ok(!JSON.stringify(endpoint).includes(WHO.token));
  });

  it("dial again when we are cut off, as the same device", async () => {
    server.cutAll();
    const fresh = await server.next();
    assert.equal(fresh.deviceId, WHO.deviceId);
    assert.equal(await fresh.tellModel(nameOf(5), { prompt: "x" }), `${nameOf(5)}: x`);
    link = fresh;
  });

  it("are not a source of our own house", async () => {
    const names = await house.http.names("/mcp");
    assert.equal(new Set(names).size, names.length);
  });
});

describe("a server that answers our hello", { concurrency: true }, () => {
  for (const hello of ["none", "wrong"] as const) {
    it(`${hello === "none" ? "never" : "in a way that no device takes"} is left after 10 s, and dialled again`, async () => {
      const silent = await XiaozhiServer.start({ hello });
      const lonely = await openHub(xiaozhi(asDevice(silent.url)));
      await until("it is dialled", () => silent.links.length > 0);
      const [first] = silent.links;
      const opened = performance.now();
      await until("we leave", () => first?.frames.ending !== undefined, LATE_MS);
      assert.ok(performance.now() - opened > 8_000);
      const [endpoint] = await endpointStatus(lonely.http);
      assert.ok(endpoint && endpoint.state !== CONNECTED, JSON.stringify(endpoint));
      await until("it is dialled again", () => silent.links.length > 1, LATE_MS);
      await lonely.hub.stop();
      await silent.close();
    });
  }
});

describe("a device of ours without an id in the configuration", () => {
  it("has one all the same, and keeps it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-device-"));
    const other = await XiaozhiServer.start({ settleMs: 10 });
    const ids: unknown[] = [];
    for (const _ of [1, 2]) {
      const { hub } = await openHub(xiaozhi(asDevice(other.url)), { folder });
      const { deviceId, clientId, authorization } = await other.next();
      ids.push([deviceId, clientId]);
      assert.ok(deviceId && clientId);
      assert.equal(authorization, undefined);
      await hub.stop();
    }
    assert.deepEqual(ids[1], ids[0]);
    await other.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

describe("what changes in the house", () => {
  it("is served at the next list", async () => {
    const before = link.tools?.length ?? 0;
    house.hub.writeConfig({ ...xiaozhi(asDevice(server.url, WHO)) });
    await askUntil(
      "the server's tools are gone",
      () => house.http.names("/mcp"),
      (names) => !names.includes(LARGE_TOOL),
    );
    const { payload } = await link.ask({ id: 2, method: "tools/list" });
    assert.ok(payload.result.tools.length < before);
    assert.ok(payload.result.tools.every(({ name }: Message) => !name.startsWith("herramienta")));
  });
});
