/**
 * A desktop client with the ways of the real one at a real hub: an empty session in every envelope, JSON as Python writes
 * it, its own pages, failures as results. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type DeviceTool,
  dialPyXiaozhi,
  infraredTool,
  manyTools,
  type PyXiaozhi,
  tool,
} from "../support/devices/index.ts";
import { until } from "../support/processes.ts";
import {
  definitionOf,
  type OpenHub,
  openHub,
  PAGES_LIMIT,
  reasonIn,
  SEED_FAILURE_TEXT,
  SEED_TOOL,
  sourceNameOf,
  untilGone,
  untilListed,
} from "../support/seed-002.ts";

let house: OpenHub;
before(async () => {
  house = await openHub();
});
after(() => house?.hub.stop());

async function joined(tools: readonly DeviceTool[], more: object = {}): Promise<PyXiaozhi> {
  const device = await dialPyXiaozhi({ url: house.hub.url, tools, ...more });
  await untilListed(house.http, tools[0]?.name ?? "");
  return device;
}

async function left(device: PyXiaozhi): Promise<void> {
  await device.close();
  await untilGone(house.http, ...device.mcp.tools.map(({ name }) => name));
}

describe("a desktop client", () => {
  it("has the seed's tool in the catalogue, as printed, and answers as printed", async () => {
    const device = await joined([infraredTool()]);
    const { name, description, inputSchema } = await definitionOf(house.http, SEED_TOOL.name);
    assert.deepEqual({ name, description, inputSchema }, SEED_TOOL);
    const { body } = await house.http.call("/mcp", SEED_TOOL.name, { name: "tv_power" });
    assert.deepEqual(body.result, { content: [{ type: "text", text: "发送成功（无回复）" }], isError: false });
    await left(device);
  });

  it("fails in a result, and its text reaches the caller whole", async () => {
    const broken = infraredTool(() => {
      throw new Error(SEED_FAILURE_TEXT);
    });
    const device = await joined([broken]);
    const answered = await house.http.call("/mcp", SEED_TOOL.name, { name: "tv_power" });
    assert.equal(answered.body.result?.isError, true, answered.text);
    assert.equal(reasonIn(answered), SEED_FAILURE_TEXT);
    await left(device);
  });

  it("may refuse with -32603: the caller is told what it said", async () => {
    const device = await joined([infraredTool(), tool("self.off", {}, () => true)]);
    device.mcp.disabled.add("self.off");
    const answered = await house.http.call("/mcp", "self.off", {});
    assert.match(reasonIn(answered), /Tool disabled: self\.off/);
    await left(device);
  });

  it("keeps its pages in its own measure: Chinese counts six times", async () => {
    const tools = manyTools(30, 0).map((one) => ({ ...one, description: "查询红外编码".repeat(10) }));
    const device = await joined(tools);
    await untilListed(house.http, ...tools.map(({ name }) => name));
    assert.ok(device.asked("tools/list").length > 1);
    assert.equal((await definitionOf(house.http, "self.many.0029")).description, "查询红外编码".repeat(10));
    await left(device);
  });

  it("with a tool that is too large for a page points at it for ever: nobody follows", async () => {
    const large = tool("self.large", {}, () => true, { description: "红".repeat(1_400) });
    const device = await joined([infraredTool(), large]);
    assert.equal(await house.http.textOf("/mcp", SEED_TOOL.name, { name: "x" }), "发送成功（无回复）");
    const before = device.asked("tools/list").length;
    await house.http.names("/mcp");
    await house.http.textOf("/mcp", SEED_TOOL.name, { name: "x" });
    assert.ok(device.asked("tools/list").length < PAGES_LIMIT);
    assert.ok(device.asked("tools/list").length - before < 10, "it has stopped");
    await left(device);
  });

  it("drops what it is told without being asked, and is served all the same", async () => {
    const device = await joined([infraredTool()]);
    assert.ok(device.frames.payloads.every(({ method, id }) => id !== undefined || method.startsWith("notifications")));
    assert.deepEqual(device.mcp.dropped, []);
    await left(device);
  });

  it("is never sent params that are null, which it takes badly", async () => {
    const device = await joined([infraredTool()]);
    await house.http.textOf("/mcp", SEED_TOOL.name, { name: "x" });
    assert.ok(device.frames.payloads.every(({ params }) => params !== null));
    await left(device);
  });

  it("pings, and is answered", async () => {
    let pongs = 0;
    const device = await joined([infraredTool()], { pingMs: 500 });
    device.socket.socket.on("pong", () => pongs++);
    await until("several pings were answered", () => pongs >= 4);
    assert.equal(device.frames.ending, undefined);
    await left(device);
  });

  it("may answer with half a megabyte", async () => {
    const text = "长".repeat(80_000);
    const device = await joined([tool("self.long", {}, () => text)]);
    assert.equal(await house.http.textOf("/mcp", "self.long", {}), text);
    await left(device);
  });

  it("is known by its Device-Id like any other", async () => {
    const device = await joined([infraredTool()]);
    const name = `${sourceNameOf(device.id)}__${SEED_TOOL.name}`;
    assert.equal(await house.http.textOf("/mcp", name, { name: "x" }), "发送成功（无回复）");
    await left(device);
  });
});
