/**
 * The relay `mcp-endpoint-server`, recorded: what two robots asked through it, with the ids that it wrote, put to a hub that
 * dialled it. It finds a robot by the id of what the tool side says, and logs an error for whatever has none of its ids.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { type WebSocket, WebSocketServer } from "ws";
import { dialFirmware } from "../support/devices/index.ts";
import type { Message } from "../support/line-rpc.ts";
import { until } from "../support/processes.ts";
import { ChangeWatch, cloud, type OpenHub, openHub, untilGone, untilListed, xiaozhi } from "../support/seed-002.ts";
import { readFrames } from "./support/frames.ts";

interface Passed {
  readonly robot: string;
  /** By the robot, and by the relay to the tool side. */
  readonly sent: string;
  readonly passed: string;
}

const passed = readFrames<Passed>("mcp-endpoint-server").map((row) => ({ ...row, message: JSON.parse(row.passed) }));
/** Which robot, of what type its id is, and the id: what the relay reads of an answer. */
const ROUTE = /^([^_]+)_([ns])_(.+)$/s;

describe("the relay", () => {
  let server: WebSocketServer;
  let house: OpenHub;
  let tools: WebSocket;
  const said: Message[] = [];
  before(async () => {
    server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    await once(server, "listening");
    const { port } = server.address() as { readonly port: number };
    house = await openHub(xiaozhi(cloud(`ws://127.0.0.1:${port}/mcp_endpoint/mcp/?token=t`)));
    if (server.clients.size === 0) await once(server, "connection");
    tools = [...server.clients][0] as WebSocket;
    tools.on("message", (data) => said.push(JSON.parse(String(data))));
  });
  after(async () => {
    await house?.hub.stop();
    server?.close();
  });

  const answersTo = (id: unknown): Message[] => said.filter((message) => message.id === id);

  it("gets for every request of both robots an answer under the id that it wrote", async () => {
    for (const { passed: text, message } of passed) {
      const before = answersTo(message.id).length;
      tools.send(text);
      if (message.id !== undefined) await until(text, () => answersTo(message.id).length > before);
    }
    const asked = passed.filter(({ message }) => message.id !== undefined);
    assert.equal(said.length, asked.length);
    for (const { id } of said) assert.match(String(id), ROUTE);
  });

  it("has each robot's own answer in them", () => {
    const results = (tool: string): Message[] =>
      passed
        .filter(({ message }) => message.params?.name === tool)
        .map(({ message }) => answersTo(message.id).at(-1)?.result);
    assert.deepEqual(results("set_light_state")[0].structuredContent, { ok: true });
    assert.equal(results("get_all_states")[0].structuredContent.lights.salon, true);
    const [unknown] = results("nope");
    assert.deepEqual([unknown.isError, unknown.error], [true, unknown.content[0].text]);
  });

  it("is told nothing that it cannot bring to a robot when tools come and go", async () => {
    const before = said.length;
    const watch = await ChangeWatch.open(house.hub.url);
    const box = await dialFirmware({ url: house.hub.url });
    await untilListed(house.http, box.mcp.tools[0]?.name ?? "");
    await watch.more(0);
    await box.close();
    await untilGone(house.http, box.mcp.tools[0]?.name ?? "");
    watch.leave();
    // What was said meanwhile came before the answer to this.
    const last = passed.find(({ message }) => message.params?.name === "get_all_states");
    tools.send(last?.passed ?? "");
    await until("it is answered", () => said.at(-1)?.id === last?.message.id && said.length > before);
    assert.equal(said.length, before + 1, JSON.stringify(said.slice(before)));
  });
});
