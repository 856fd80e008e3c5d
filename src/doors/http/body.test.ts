import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { type Answered, type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import type { Principal } from "../../core/call.ts";
import type { ZaguanError } from "../../errors.ts";
import type { Door } from "../door.ts";

/** Sends a body back as it was read. */
const ECHO: Door = {
  name: "echo",
  routes: [
    {
      method: "POST",
      path: "/echo",
      needs: "call",
      handle: async (exchange) => exchange.reply(200, await exchange.readBody()),
    },
  ],
};

describe("a request's body", () => {
  let doors: OpenDoors;
  before(async () => {
    doors = await openDoors([ECHO], { settings: { bodyBytes: 1_000 } });
  });
  after(() => doors.close());

  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    doors.ask("/echo", { method: "POST", headers: { "content-type": "application/json", ...headers }, body });

  for (const type of [
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "application/json ; charset=utf8",
  ]) {
    it(`is read when it is declared as ${type}`, async () => {
      assert.equal((await post('"é"', { "content-type": type })).text, '"é"');
    });
  }

  for (const type of [
    "text/plain",
    "text/plain; application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json\ta",
    "application/json garbage",
    "application/jsonp",
    "application/json; charset=utf-16",
    "application/json-rpc",
    "",
  ]) {
    it(`is refused with 415 when it is declared as ${JSON.stringify(type)}`, async () => {
      const { status, json } = await post("{}", { "content-type": type });
      assert.deepEqual([status, json.error?.data["code"]], [415, "UNSUPPORTED_MEDIA"]);
    });
  }

  it("is refused with 415 when nothing is declared", async () => {
    assert.equal((await doors.ask("/echo", { method: "POST", body: "{}" })).status, 415);
  });

  for (const encoding of ["gzip", "br", "deflate", "identity, gzip"]) {
    it(`is refused with 415 when it comes as ${encoding}`, async () => {
      assert.equal((await post(gzipSync("0".repeat(1_000)), { "content-encoding": encoding })).status, 415);
    });
  }

  it("may call itself identity", async () => {
    assert.equal((await post("1", { "content-encoding": "identity" })).text, "1");
  });

  it("may be empty, and as large as the limit", async () => {
    assert.equal((await post("")).text, "");
    assert.equal((await post("1".repeat(1_000))).text.length, 1_000);
  });

  it("one byte larger is refused with 413, and the connection is not used again", async () => {
    const { status, headers, json } = await post("1".repeat(1_001));
    assert.deepEqual([status, headers.connection, json.error?.code], [413, "close", -32600]);
    assert.match(json.error?.message ?? "", /1000 bytes/);
  });

  it("that only declares to be too large is refused before it comes", async () => {
    const answer = await doors.raw(head("content-length: 100000000\r\n"));
    assert.match(answer, /^HTTP\/1\.1 413 /);
  });

  it("that never ends is refused as soon as it is too large", async () => {
    const answer = await doors.raw(
      `${head("transfer-encoding: chunked\r\n")}${`ff\r\n${"x".repeat(255)}\r\n`.repeat(5)}`,
    );
    assert.match(answer, /^HTTP\/1\.1 413 /);
  });

  it("counts in bytes, not in characters", async () => assert.equal((await post("é".repeat(501))).status, 413));

  it("that is not UTF-8 is a parse error", async () => {
    const { status, json } = await post(Buffer.from([0x22, 0xff, 0xfe, 0x22]));
    assert.deepEqual([status, json.error?.code], [400, -32700]);
  });

  it("that breaks off is not waited for: what was done for it is told so at once", async () => {
    const ended = Promise.withResolvers<unknown>();
    const reading = Promise.withResolvers<void>();
    const handle: Door["routes"][number]["handle"] = async (exchange) => {
      const body = exchange.readBody();
      reading.resolve();
      ended.resolve(await body.catch((error: ZaguanError) => error.code));
    };
    const broken = await openDoors([
      { name: "broken", routes: [{ method: "POST", path: "/echo", needs: "call", handle }] },
    ]);
    const socket = connect(broken.port, "127.0.0.1");
    socket.write(`${head("content-length: 100\r\n").replace(`:${doors.port}`, `:${broken.port}`)}{"half`);
    await reading.promise;
    socket.destroy();
    assert.equal(await ended.promise, "CANCELLED");
    await broken.close();
  });

  it("keeps characters that arrive in two pieces whole", async () => {
    const [first, second] = [Buffer.from('"é"').subarray(0, 2), Buffer.from('"é"').subarray(2)];
    const chunk = (bytes: Buffer) => `${bytes.length}\r\n${bytes.toString("latin1")}\r\n`;
    const text = `${head("transfer-encoding: chunked\r\nconnection: close\r\n")}${chunk(first)}${chunk(second)}0\r\n\r\n`;
    assert.ok((await doors.raw(Buffer.from(text, "latin1"))).endsWith('"é"'));
  });

  function head(more: string): string {
    return `POST /echo HTTP/1.1\r\nhost: localhost:${doors.port}\r\ncontent-type: application/json\r\n${more}\r\n`;
  }
});

describe("a body where more is allowed than elsewhere", () => {
  const handle: Door["routes"][number]["handle"] = async (exchange) =>
    exchange.reply(200, String((await exchange.readBody()).length));
  const door: Door = {
    name: "documents",
    routes: [
      { method: "POST", path: "/documents", needs: "unlimited", bodyBytes: 3_000, handle },
      { method: "PUT", path: "/documents", needs: "unlimited", handle },
    ],
  };
  const everything: Principal = { id: "key:all", kind: "key", name: "all" };
  const some: Principal = { ...everything, allow: ["get_*"] };

  async function withDoor(usual: number, principal: Principal, body: (send: Send) => Promise<void>): Promise<void> {
    const doors = await openDoors([door], {
      settings: { bodyBytes: usual },
      authenticate: () => principal,
    });
    const headers = { "content-type": "application/json" };
    try {
      await body((bytes, method = "POST") => doors.ask("/documents", { method, headers, body: "1".repeat(bytes) }));
    } finally {
      await doors.close();
    }
  }
  type Send = (bytes: number, method?: string) => Promise<Answered>;

  it("is taken up to that limit, which the refusal of a larger one names", async () => {
    await withDoor(1_000, everything, async (send) => {
      assert.equal((await send(3_000)).text, "3000");
      const { status, json } = await send(3_001);
      assert.equal(status, 413);
      assert.match(json.error?.message ?? "", /limited to 3000 bytes/);
    });
  });

  it("is no larger by another method of the same path", async () => {
    await withDoor(1_000, everything, async (send) => assert.equal((await send(1_001, "PUT")).status, 413));
  });

  it("may be larger still where everybody's limit is", async () => {
    await withDoor(5_000, everything, async (send) => {
      assert.equal((await send(5_000)).text, "5000");
      assert.match((await send(5_001)).json.error?.message ?? "", /limited to 5000 bytes/);
    });
  });

  it("is not read at all from who may not ask there", async () => {
    await withDoor(1_000, some, async (send) => {
      for (const bytes of [1, 3_000, 3_001]) assert.equal((await send(bytes)).status, 403, `${bytes}`);
    });
  });
});
