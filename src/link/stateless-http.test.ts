import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, it } from "node:test";
import {
  ANSWER,
  CALL,
  cleanUp,
  connect,
  failure,
  INITIALIZE,
  json,
  serve,
  status,
  stream,
  until,
} from "../../test/support/http-house.ts";
import { sayEnding } from "./ending.ts";
import { statusOf } from "./http-failures.ts";

const OWN = { headers: { "mcp-method": "tools/call", "mcp-name": "lamp" } };

afterEach(cleanUp);

describe("a message of a stateless revision", () => {
  it("bears its own headers and names no session, though there is one", async () => {
    const house = await serve((_seen, response) => {
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s-1" }).end(ANSWER);
    });
    const { link } = await connect(house, { headers: { "X-Key": "k", "Mcp-Name": "not ours to set" } });
    await link.send(INITIALIZE);
    link.setVersion("2025-06-18");
    await link.send(CALL, undefined, OWN);
    await link.send(CALL);
    const [, stateless, inSession] = house.seen.map(({ headers }) => headers);
    assert.deepEqual(
      [stateless?.["mcp-method"], stateless?.["mcp-name"], stateless?.["x-key"]],
      ["tools/call", "lamp", "k"],
    );
    assert.deepEqual([stateless?.["mcp-session-id"], stateless?.["mcp-protocol-version"]], [undefined, undefined]);
    assert.deepEqual([inSession?.["mcp-session-id"], inSession?.["mcp-name"]], ["s-1", undefined]);
  });

  it("is lost with the stream of its answer, which is not taken up again", async () => {
    const house = await serve((_seen, response) => stream(response, "retry: 10\nid: p1\ndata:\n\n").end());
    const { link, ended } = await connect(house, {}, () => ({ isPending: () => true }));
    await link.send(CALL, undefined, OWN);
    await until(() => ended.length === 1);
    assert.deepEqual([ended[0]?.error, house.seen.length], [undefined, 1]);
  });

  for (const [code, id, delivery] of [
    [-32020, 2, "not_sent"],
    [-32601, null, "not_sent"],
    [-32602, undefined, "executed"],
  ] as const) {
    it(`is refused in the server's own words, whatever id these bear: ${code}`, async () => {
      const error = { code, message: "no", data: { why: 1 } };
      const house = await serve((_seen, response) =>
        json(response, 400, JSON.stringify({ jsonrpc: "2.0", id, error })),
      );
      const { link, messages } = await connect(house);
      const failed = await failure(link.send(CALL, undefined, OWN));
      assert.deepEqual(failed.details.relayed, error);
      assert.deepEqual([failed.code, failed.delivery, statusOf(failed)], ["SOURCE_ERROR", delivery, 400]);
      assert.deepEqual(messages, []);
    });
  }

  it("whose answer is endless does not keep a server that is gone", async (test) => {
    const server = createServer((_request, response) => stream(response, ": here\n\n"));
    test.after(() => server.closeAllConnections());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { link } = await connect({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
    await link.send(CALL, new AbortController().signal, { ...OWN, isEndless: true });
    // The stream stands, but nobody can connect any more.
    server.close();
    for (let i = 0; i < 3; i++) await failure(link.send(ANSWER));
    assert.equal(sayEnding(await link.closed), "connection refused");
  });
});

describe("what comes", () => {
  it("tells in whose answer it came, also where that was taken up again; what is said unasked is nobody's", async () => {
    const house = await serve((seen, response) => {
      if (seen.headers["last-event-id"] === "p1") stream(response, 'data: {"n":2}\n\n').end();
      else if (seen.method === "GET") stream(response, 'data: {"n":3}\n\n');
      else stream(response, 'retry: 100\nid: p1\ndata: {"n":1}\n\n').end();
    });
    const seen: unknown[] = [];
    const { link } = await connect(house, {}, () => ({
      isPending: () => seen.length < 2,
      onMessage: (message, sent) => seen.push([message, sent]),
    }));
    await link.send(CALL);
    await until(() => seen.length === 2);
    link.listen();
    await until(() => seen.length === 3);
    assert.deepEqual(seen, [
      ['{"n":1}', CALL],
      ['{"n":2}', CALL],
      ['{"n":3}', undefined],
    ]);
  });

  for (const code of [401, 404, 429, 500, 307]) {
    it(`says which status it was, if that was the trouble: ${code}`, async () => {
      const house = await serve(status(code));
      const { link } = await connect(house);
      assert.equal(statusOf(await failure(link.send(CALL))), code);
    });
  }
});
