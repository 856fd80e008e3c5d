/** py-xiaozhi's own `McpServer` and WebSocket protocol, recorded: a desktop client that dials the hub and is its source. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { WebSocket } from "ws";
import { type OpenHub, openHub, reasonIn, untilGone, untilListed } from "../support/seed-002.ts";
import { makeKey } from "../support/seed-003.ts";
import { answerWithId, readFrames } from "./support/frames.ts";

interface Exchange {
  readonly method: string;
  readonly params: { readonly name?: string; readonly [key: string]: unknown };
  readonly id: number;
  readonly answer: string;
}

interface Opening {
  readonly opens: string;
  readonly headers: Readonly<Record<string, string>>;
}

const [opening, ...exchanges] = readFrames<Exchange & Opening>("py-xiaozhi");
const LISTED = exchanges
  .filter(({ method }) => method === "tools/list")
  .flatMap(({ answer }) => JSON.parse(answer).payload.result.tools as { readonly name: string }[])
  .map(({ name }) => name);

describe("py-xiaozhi", () => {
  let house: OpenHub;
  let socket: WebSocket;
  /** What the hub said that the original was not asked in the recording, and what it would answer a hello with. */
  const strange: unknown[] = [];
  const hellos: { readonly transport?: string }[] = [];
  before(async () => {
    house = await openHub();
    const url = `${house.hub.url.replace("http", "ws")}/xiaozhi/v1/`;
    // The recording has another server's token.
    const headers = { ...opening?.headers, Authorization: `Bearer ${await makeKey(house.hub, "desktop")}` };
    socket = new WebSocket(url, { headers, perMessageDeflate: false });
    socket.on("message", (data) => hear(JSON.parse(String(data))));
    await once(socket, "open");
    socket.send(opening?.opens ?? "");
    await untilListed(house.http, ...LISTED);
  });
  after(() => house?.hub.stop());

  function hear(frame: { readonly type: string; readonly payload: Exchange; readonly transport?: string }): void {
    if (frame.type === "hello") return void hellos.push(frame);
    const { method, params, id } = frame.payload;
    // It drops notifications, as devices do.
    if (method.startsWith("notifications/")) return;
    const isAsked = (one: Exchange): boolean =>
      one.method === method && (method === "initialize" || isDeepStrictEqual(one.params, params));
    const known = exchanges.find(isAsked);
    if (known) socket.send(answerWithId(known.answer, known.id, id));
    else strange.push(frame.payload);
  }

  const call = (name: string, args: object) => house.http.call("/mcp", name, args);

  it("is greeted as it needs it, and asked in no words that it does not know", () => {
    assert.deepEqual(
      hellos.map(({ transport }) => transport),
      ["websocket"],
    );
    assert.deepEqual(strange, []);
  });

  it("has every tool of every page in the catalogue", async () => {
    assert.ok(exchanges.filter(({ method }) => method === "tools/list").length > 1);
    const names = await house.http.names("/mcp");
    assert.deepEqual(
      LISTED.filter((tool) => !names.includes(tool)),
      [],
    );
  });

  it("is called with what it understands, and answers", async () => {
    const own = (await call("self.demo.hello", { name: "世界" })).body.result;
    assert.deepEqual(own, { content: [{ type: "text", text: "Hello, 世界!" }], isError: false });
    assert.equal(await house.http.textOf("/mcp", "self.demo.hello", {}), "Hello, world!");
    assert.equal(await house.http.textOf("/mcp", "self.demo.long3", { n: 7 }), "7");
    assert.deepEqual(strange, []);
  });

  it("fails in a result, and its text reaches the caller", async () => {
    const failed = await call("self.demo.fail", {});
    assert.equal(failed.body.result?.isError, true, failed.text);
    assert.equal(reasonIn(failed), "无法打开串口 /dev/ttyS1: Permission denied");
  });

  it("refuses a tool that it has no more, and the caller is told so", async () => {
    assert.match(reasonIn(await call("self.demo.gone", {})), /Unknown tool: self\.demo\.gone/);
  });

  it("takes its tools with it", async () => {
    socket.close();
    await untilGone(house.http, ...LISTED);
  });
});
