import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { makeError } from "../../../test/support/make-error.ts";
import { type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import { until } from "../../../test/support/processes.ts";
import { ZaguanError } from "../../errors.ts";
import type { Door, Exchange } from "../door.ts";
import { failureHeaders } from "./exchange.ts";

describe("one request and its answer", () => {
  let handle: (exchange: Exchange) => void = () => {};
  const door: Door = {
    name: "test",
    routes: [{ method: "GET", path: "/", needs: "see", handle: (exchange) => handle(exchange) }],
  };
  let doors: OpenDoors;
  before(async () => {
    doors = await openDoors([door]);
  });
  after(() => doors.close());

  it("is never kept by caches, nor guessed at, and its length is in bytes", async () => {
    handle = (exchange) => exchange.reply(200, '"é"');
    const { headers, text } = await doors.ask("/");
    assert.equal(text, '"é"');
    assert.deepEqual([headers["cache-control"], headers["x-content-type-options"]], ["no-store", "nosniff"]);
    assert.deepEqual([headers["content-type"], headers["content-length"]], ["application/json", "4"]);
  });

  it("with 204 has neither body nor length", async () => {
    handle = (exchange) => exchange.reply(204, "");
    const { status, headers, text } = await doors.ask("/");
    assert.deepEqual(
      [status, text, headers["content-length"], headers["content-type"]],
      [204, "", undefined, undefined],
    );
  });

  it("to HEAD has the headers of GET and no body", async () => {
    handle = (exchange) => exchange.reply(200, "1234");
    const { status, headers, text } = await doors.ask("/", { method: "HEAD" });
    assert.deepEqual([status, headers["content-length"], text], [200, "4", ""]);
  });

  it("is given once; what comes later is dropped", async () => {
    handle = (exchange) => {
      exchange.reply(200, '"first"');
      exchange.reply(500, '"second"');
      exchange.fail(new ZaguanError("INTERNAL"));
    };
    assert.equal((await doors.ask("/")).text, '"first"');
  });

  it("that fails is JSON-RPC with id null, in the language the caller asked for", async () => {
    handle = (exchange) => exchange.fail(new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } }));
    const { status, json } = await doors.ask("/", { headers: { "accept-language": "es-MX,es;q=0.9" } });
    assert.deepEqual([status, json["jsonrpc"], json["id"]], [400, "2.0", null]);
    assert.equal(json.error?.message, "Tool 'x' no encontrada");
  });

  it("shows each header by its name in small letters", async () => {
    handle = (exchange) =>
      exchange.reply(200, JSON.stringify([exchange.header("x-one"), exchange.header("set-cookie"), exchange.language]));
    const { json } = await doors.ask("/", { headers: { "X-One": "1", "set-cookie": ["a", "b"] } });
    assert.deepEqual(json, ["1", "a", "en"]);
  });
});

describe("a small answer", () => {
  it("that its caller does not read counts as unread, and has the time of a large one", async () => {
    const asked: Exchange[] = [];
    const handle = (exchange: Exchange) => {
      asked.push(exchange);
      exchange.reply(200, "x".repeat(60_000));
    };
    const doors = await openDoors([{ name: "test", routes: [{ method: "GET", path: "/", needs: "see", handle }] }]);
    const caller = connect(doors.port, "127.0.0.1").pause();
    await until("the system takes no more", () => {
      caller.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
      return doors.unreadBytes() > 0;
    });
    assert.ok(doors.unreadBytes() < 61_000, `${doors.unreadBytes()}`);
    assert.equal(asked.at(-1)?.response.socket?.timeout, 10_000);
    caller.destroy();
    await until("nothing is left of it", () => doors.unreadBytes() === 0);
    await doors.close();
  });

  it("is not counted when its caller is gone, also if it came in the moment in which he hung up", async () => {
    const asked: Exchange[] = [];
    const handle = (exchange: Exchange) => void asked.push(exchange);
    const doors = await openDoors([{ name: "test", routes: [{ method: "GET", path: "/", needs: "see", handle }] }]);
    const caller = connect(doors.port, "127.0.0.1").resume();
    caller.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await until("it is asked for", () => asked.length === 1);
    const [exchange] = asked as [Exchange];
    exchange.request.socket.once("end", () => exchange.reply(200, "x"));
    caller.end();
    await until("the connection is gone", () => exchange.response.destroyed);
    assert.equal(doors.unreadBytes(), 0);
    await doors.close();
  });
});

describe("whatever is written to a caller who does not read", () => {
  const FILE = Buffer.alloc(60_000);
  const ends: Readonly<Record<string, (exchange: Exchange) => void>> = {
    "a file that its door has written the head of": (exchange) => {
      exchange.response.writeHead(200, { "content-length": FILE.length });
      exchange.end(FILE);
    },
    "a refusal that ends the connection": (exchange) => exchange.fail(makeError("TOO_LARGE")),
  };
  for (const [what, end] of Object.entries(ends)) {
    it(`counts as unread, and has the time of a large answer: ${what}`, async () => {
      const asked: Exchange[] = [];
      const handle = (exchange: Exchange) => {
        asked.push(exchange);
        const { socket } = exchange.request;
        while (socket.writableLength === 0) socket.write(FILE);
        const before = socket.writableLength;
        end(exchange);
        assert.ok(exchange.response.writableLength > before);
      };
      const doors = await openDoors([{ name: "test", routes: [{ method: "POST", path: "/", needs: "see", handle }] }]);
      const caller = connect(doors.port, "127.0.0.1").pause();
      caller.write("POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n");
      await until("it is counted", () => doors.unreadBytes() > 0);
      assert.equal(asked[0]?.request.socket.timeout, 10_000);
      caller.destroy();
      await until("nothing is left of it", () => doors.unreadBytes() === 0);
      await doors.close();
    });
  }
});

describe("the headers of a failure", () => {
  const cases = [
    [makeError("RATE_LIMITED", { retryAfterMs: 1_001 }), "retry-after", "2"],
    [makeError("NO_CAPACITY", { retryAfterMs: 0 }), "retry-after", "1"],
    [new ZaguanError("UNAUTHORIZED"), "www-authenticate", "Bearer"],
    [makeError("METHOD_NOT_ALLOWED", { params: { allowed: "GET, POST" } }), "allow", "GET, POST"],
    [makeError("TOO_LARGE"), "connection", "close"],
    [makeError("UNSUPPORTED_MEDIA"), "connection", "close"],
  ] as const;
  for (const [error, name, value] of cases) {
    it(`${error.code}: ${name}: ${value}`, () => assert.equal(failureHeaders(error)[name], value));
  }

  it("are only those the status asks for", () => {
    assert.deepEqual(failureHeaders(makeError("BAD_JSON")), { "content-type": "application/json" });
  });
});
