/**
 * A voice cloud that we dial, at a real hub: its broker greets, lists, pings and calls over the socket that we opened, as
 * the real one does. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type BrokerLink, CloudBroker, dialFirmware, tool } from "../support/devices/index.ts";
import type { Message } from "../support/line-rpc.ts";
import { LARGE_TOOL, nameOf, startManyTools } from "../support/many-tools.ts";
import { until } from "../support/processes.ts";
import type { StandIn } from "../support/registry-servers.ts";
import {
  assertSeedFailure,
  CONNECTED,
  cloud,
  endpointStatus,
  type OpenHub,
  openHub,
  sizeOf,
  untilListed,
  xiaozhi,
} from "../support/seed-002.ts";
import { askUntil } from "../support/seed-003.ts";

const TOKEN = "eyJhbGciOiJFUzI1NiJ9.eyJwdXJwb3NlIjoibWNwLWVuZHBvaW50In0.ZmlybWE";
const COUNT = 500;

let broker: CloudBroker;
let many: StandIn;
let house: OpenHub;
let link: BrokerLink;
before(async () => {
  broker = await CloudBroker.start({ tokens: [TOKEN], pingMs: 1_000 });
  many = await startManyTools(COUNT);
  const mcpServers = { many: { url: many.url, zaguan: { allowPrivate: true } } };
  house = await openHub({ mcpServers, ...xiaozhi(cloud(broker.url(TOKEN))) });
  await untilListed(house.http, nameOf(0), LARGE_TOOL);
  link = await broker.next();
});
after(async () => {
  await house?.hub.stop();
  await many?.close();
  await broker?.close();
});

describe("the greeting", () => {
  it("is dialled with the token as it was given, and nothing else of ours", () => {
    assert.equal(link.dial.query.get("token"), TOKEN);
    assert.deepEqual([...link.dial.query.keys()], ["token"]);
    assert.equal(link.dial.path, "/mcp/");
  });

  it("is answered under the id 0, which is a real id", () => {
    const [first] = link.frames.all;
    assert.strictEqual(first?.payload.id, 0);
    const { protocolVersion, capabilities, serverInfo } = link.initialized.result;
    assert.equal(protocolVersion, "2024-11-05");
    assert.ok(capabilities.tools);
    assert.ok(serverInfo.name && serverInfo.version);
  });

  it("begins with the broker: we say nothing before, and no hello", () => {
    assert.ok(link.frames.all.every(({ frame }) => frame.type === undefined && frame.jsonrpc === "2.0"));
    assert.deepEqual(
      link.frames.payloads.filter(({ method, id }) => method !== undefined && id !== undefined),
      [],
      "we ask it nothing",
    );
  });

  it("may come again", async () => {
    const { result } = await link.ask("initialize", { capabilities: {} });
    assert.equal(result.protocolVersion, "2024-11-05");
    link.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    assert.deepEqual((await link.ask("ping")).result, {});
  });
});

describe("pings", () => {
  it("are answered with {}", async () => {
    for (const params of [{}, undefined]) assert.deepEqual((await link.ask("ping", params)).result, {});
  });

  it("are answered for as long as they come", async () => {
    const answered = (): number => link.frames.payloads.filter(({ result }) => isEmpty(result)).length;
    const before = answered();
    await until("three more were answered", () => answered() >= before + 3);
    assert.equal(link.frames.ending, undefined);
  });
});

describe(`a list of ${COUNT} tools`, () => {
  let pages: Message[];
  before(async () => {
    pages = await link.pages();
  });

  it("comes in pages of at most 8000 bytes, but for a tool that is larger: that one comes alone", () => {
    assert.ok(pages.length > 10);
    const large = pages.filter((page) => sizeOf(page) > 8_000);
    assert.deepEqual(
      large.map(({ tools }) => tools.map(({ name }: Message) => name)),
      [[LARGE_TOOL]],
    );
  });

  it("has every tool of the catalogue once", async () => {
    const names = pages.flatMap(({ tools }) => tools.map(({ name }: Message) => name));
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(names.toSorted(), (await house.http.names("/mcp")).toSorted());
    assert.ok(names.length > COUNT);
  });

  it("has the name of the next page's first tool as its cursor, and none at the end", () => {
    for (const [place, page] of pages.slice(0, -1).entries()) {
      assert.equal(page.nextCursor, pages[place + 1].tools[0].name);
    }
    assert.equal("nextCursor" in (pages.at(-1) ?? {}), false);
  });

  it("wastes no page: none could have taken the next one's first tool", () => {
    for (const [place, page] of pages.slice(0, -1).entries()) {
      const [next] = pages[place + 1].tools;
      assert.ok(sizeOf(page) + sizeOf(next) > 8_000 - 1_000, `page ${place}: ${sizeOf(page)} + ${sizeOf(next)}`);
    }
  });

  it("may be begun anywhere, and read twice", async () => {
    const { result } = await link.ask("tools/list", { cursor: nameOf(250) });
    assert.equal(result.tools[0].name, nameOf(250));
    const { result: again } = await link.ask("tools/list", { cursor: nameOf(250) });
    assert.deepEqual(again, result);
  });

  it("begins at the start for an empty cursor, for no params and for null", async () => {
    for (const params of [{ cursor: "" }, undefined, null]) {
      const { result } = await link.ask("tools/list", params);
      assert.equal(result?.tools[0].name, pages[0].tools[0].name, JSON.stringify(params));
    }
  });

  it("has what came since the last time", async () => {
    const device = await dialFirmware({ url: house.hub.url });
    await untilListed(house.http, "self.screen.set_theme");
    assert.ok((await link.names()).includes("self.screen.set_theme"));
    assert.equal((await link.call("self.screen.set_theme", { theme: "x" })).content[0].text, "主题: x");
    await device.close();
    await askUntil(
      "it is gone here too",
      () => link.names(),
      (names) => !names.includes("self.screen.set_theme"),
    );
  });
});

describe("a call", () => {
  it("with all that the broker adds to it reaches the tool", async () => {
    const result = await link.call(nameOf(7), { prompt: "hola" });
    assert.equal(result.content[0].text, `${nameOf(7)}: hola`);
    assert.notEqual(result.isError, true);
    assert.deepEqual(many.calls.at(-1)?.params?.arguments, { prompt: "hola" });
  });

  it("of the tool that is larger than a page works like any other", async () => {
    assert.equal((await link.call(LARGE_TOOL, { prompt: "x" })).content[0].text, `${LARGE_TOOL}: x`);
  });

  it("may have any id, one that is in use among them", async () => {
    for (const id of [0, 0, "", "7", -1, "ñ"]) {
      const params = { name: "get_presence", arguments: {} };
      assert.strictEqual((await link.ask("tools/call", params, id)).id, id);
    }
    const from = link.frames.all.length;
    for (const name of ["get_presence", nameOf(1)]) {
      link.send({ jsonrpc: "2.0", id: 99, method: "tools/call", params: { name, arguments: { prompt: "x" } } });
    }
    const answers = (): unknown[] => link.frames.all.slice(from).filter(({ payload }) => payload?.id === 99);
    await until("both are answered", () => answers().length === 2);
  });

  it("that goes wrong is a result with the reason in both places", async () => {
    const failed = async (name: string, args: object): Promise<string> =>
      assertSeedFailure(await link.ask("tools/call", { name, arguments: args }));
    assert.match(await failed("no_such_tool", {}), /no_such_tool/);
    assert.match(await failed("set_light_state", { on: true }), /name/);
    await failed("set_light_state", { name: "no such lamp", on: true });
  });

  it("of a method that nobody knows is -32601", async () => {
    assert.equal((await link.ask("nonsense", {})).error.code, -32601);
  });

  it("that takes its time holds up neither pings nor other calls", async () => {
    const hold = Promise.withResolvers<string>();
    const tools = [tool("self.wait", {}, () => hold.promise)];
    const device = await dialFirmware({ url: house.hub.url, tools });
    await untilListed(house.http, "self.wait");
    const slow = link.call("self.wait");
    await until("it is under way", () => device.asked("tools/call").length === 1);
    assert.deepEqual((await link.ask("ping")).result, {});
    assert.equal((await link.call(nameOf(3), { prompt: "x" })).content[0].text, `${nameOf(3)}: x`);
    hold.resolve("al fin");
    assert.equal((await slow).content[0].text, "al fin");
    await device.close();
  });
});

describe("the link", () => {
  it("is the only one that was opened, and is told in the status without its token", async () => {
    assert.equal(broker.links.length, 1);
    const [endpoint, ...more] = await endpointStatus(house.http);
    assert.equal(more.length, 0);
    assert.equal(endpoint?.state, CONNECTED);
    assert.ok(endpoint?.url.startsWith(`ws://127.0.0.1:${broker.port}/mcp/`), endpoint?.url);
  });

  it("has its token in no log and no answer", async () => {
    const secret = TOKEN.split(".")[2] ?? "";
    assert.ok(!house.logged().includes(secret));
    for (const path of ["/mcp/status", "/health", "/metrics"]) {
      assert.ok(!(await house.http.get(path)).text.includes(secret), path);
    }
  });

  it("is closed when the hub ends", async () => {
    await house.hub.stop();
    assert.ok([1000, 1001].includes((await link.frames.closed).code));
  });
});

function isEmpty(result: unknown): boolean {
  return typeof result === "object" && result !== null && Object.keys(result).length === 0;
}
