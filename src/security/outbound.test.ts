import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { after, before, describe, it } from "node:test";
import { collectGarbage } from "../../test/support/garbage.ts";
import { until } from "../../test/support/processes.ts";
import { ZaguanError } from "../errors.ts";
import { HOP_HEADER, hubChain } from "./hub-chain.ts";
import { makeGuard, makeOutbound, type Outbound, type Outgoing, type ResolvedAddress } from "./outbound.ts";

/** Public by its range, but handed back long ago and routed nowhere. */
const PUBLIC_NOWHERE = "3ffe::1";

describe("the way out", () => {
  let canary: Server;
  let port: number;
  let hits = 0;

  before(async () => {
    canary = createServer((_request, response) => response.end("reached"));
    canary.on("connection", () => hits++);
    await new Promise<void>((resolve) => canary.listen(0, resolve));
    port = (canary.address() as AddressInfo).port;
  });
  after(() => canary.close());

  const forbiddenHosts = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.0.0.1.",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "017700000001",
    "%31%32%37.0.0.1",
    "１２７.0.0.1",
    "127。0。0。1",
    "0",
    "0.0.0.0",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
    "[fe80::1]",
    "[fd00::1]",
    "10.0.0.1",
    "192.168.0.1",
    "172.16.0.1",
    "169.254.169.254",
    "100.64.0.1",
  ];

  it(`refuses ${forbiddenHosts.length} spellings of private addresses without one connection or lookup`, async () => {
    let lookups = 0;
    const resolve = async () => {
      lookups++;
      return [v4("8.8.8.8")];
    };
    const outbound = await makeOutbound({ allowPrivate: false, resolve });
    hits = 0;
    for (const host of forbiddenHosts) {
      const url = `http://${host}:${port}/`;
      assert.throws(() => outbound.check(url), isForbidden, `check ${host}`);
      await assert.rejects(reached(outbound, url), isForbidden, `request ${host}`);
    }
    assert.deepEqual({ hits, lookups }, { hits: 0, lookups: 0 });
    await outbound.close();
  });

  it("refuses a name if any of its addresses is private", async () => {
    hits = 0;
    const answers = [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["8.8.8.8", "::ffff:10.0.0.1"], ["not an address"]];
    for (const addresses of answers) {
      const outbound = await makeOutbound({ allowPrivate: false, resolve: async () => addresses.map(v4) });
      const error = await failure(outbound, `http://name.test:${port}/`);
      assert.ok(isForbidden(error), String(error));
      assert.equal(error.details.params?.["address"], "name.test");
      await outbound.close();
    }
    assert.equal(hits, 0);
  });

  it("asks the system's resolver if given no other", async () => {
    const outbound = await makeOutbound({ allowPrivate: false });
    hits = 0;
    assert.ok(isForbidden(await failure(outbound, `http://localhost:${port}/`)));
    assert.equal(hits, 0);
    await outbound.close();
  });

  it("cannot be rebound: one lookup per connection, and the socket goes to the address that was checked", async () => {
    let lookups = 0;
    const resolve = async () => [lookups++ === 0 ? { address: PUBLIC_NOWHERE, family: 6 } : v4("127.0.0.1")];
    const outbound = await makeOutbound({ allowPrivate: false, connectMs: 300, resolve });
    const attempts = watchAttempts();
    hits = 0;
    const first = await failure(outbound, `http://flip.test:${port}/`);
    assert.ok(!isForbidden(first), "the first address is public, it just leads nowhere");
    assert.deepEqual({ lookups, attempts: attempts.addresses }, { lookups: 1, attempts: [PUBLIC_NOWHERE] });
    assert.ok(isForbidden(await failure(outbound, `http://flip.test:${port}/`)));
    assert.deepEqual({ lookups, hits, attempts: attempts.addresses.length }, { lookups: 2, hits: 0, attempts: 1 });
    attempts.stop();
    await outbound.close();
  });

  it("lets private addresses through where that is allowed, literals without any lookup", async () => {
    let lookups = 0;
    const resolve = async () => {
      lookups++;
      return [v4("127.0.0.1")];
    };
    const outbound = await makeOutbound({ allowPrivate: true, resolve });
    outbound.check(`http://127.0.0.1:${port}/`);
    assert.equal(await reached(outbound, `http://127.0.0.1:${port}/`), "reached");
    assert.equal(lookups, 0);
    assert.equal(await reached(outbound, `http://house.test:${port}/`), "reached");
    assert.equal(lookups, 1);
    await outbound.close();
  });

  it("says with every request which hubs are above us at that moment, and all that it was told to say", async () => {
    const seen: unknown[] = [];
    const echo = createServer(({ headers }, response) => {
      seen.push([headers["x-own"], headers[HOP_HEADER]]);
      response.end();
    });
    await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
    const outbound = await makeOutbound({ allowPrivate: true });
    const origin = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
    const outgoing = outbound.to(origin);
    const alone = hubChain.marker;
    const headers = ["x-own", "a"];
    await get(outgoing, origin, { headers });
    const above = new PassThrough();
    hubChain.enter(above, "1 hOther0123456");
    const below = hubChain.marker;
    await get(outgoing, origin, { headers });
    await get(outgoing, origin, { headers: ["x-own", "b"] });
    above.destroy();
    await once(above, "close");
    await get(outgoing, origin, { headers });
    assert.match(below, /^2 .* hOther0123456$/);
    assert.deepEqual(seen, [
      ["a", alone],
      ["a", below],
      ["b", below],
      ["a", alone],
    ]);
    assert.deepEqual(headers, ["x-own", "a"]);
    await outbound.close();
    echo.close();
  });

  it("holds nothing of a connection that is over", async () => {
    const outbound = await makeOutbound({ allowPrivate: true });
    const sockets: WeakRef<Socket>[] = [];
    const remember = (message: unknown): void => {
      sockets.push(new WeakRef((message as { socket: Socket }).socket));
    };
    subscribe("undici:client:connected", remember);
    const origin = `http://127.0.0.1:${port}`;
    const outgoing = outbound.to(origin);
    for (let n = 0; n < 10; n++) await get(outgoing, origin, { reset: true });
    unsubscribe("undici:client:connected", remember);
    await until("they are gone", () => {
      collectGarbage();
      return sockets.filter((socket) => socket.deref()).length < 3;
    });
    assert.equal(sockets.length, 10);
    await outbound.close();
  });

  it("ends connections that are not made yet when it closes", async (test) => {
    const arrived = Promise.withResolvers<Socket>();
    const listener = createTcpServer((socket) => arrived.resolve(socket.resume()));
    test.after(() => listener.close());
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const outbound = await makeOutbound({ allowPrivate: true });
    // It never says a word of TLS.
    const asked = failure(outbound, `https://127.0.0.1:${(listener.address() as AddressInfo).port}/`);
    const socket = await arrived.promise;
    await outbound.close();
    await asked;
    await until("it hung up", () => socket.destroyed || socket.readableEnded);
  });

  it("asks for the server's certificate by the name in the URL, not by the address", async (test) => {
    const hellos: Buffer[] = [];
    const listener = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (data) => {
        hellos.push(data);
        socket.destroy();
      });
    });
    test.after(() => listener.close());
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const outbound = await makeOutbound({ allowPrivate: true, resolve: async () => [v4("127.0.0.1")] });
    await failure(outbound, `https://house.test:${(listener.address() as AddressInfo).port}/`);
    assert.ok(hellos[0]?.includes("house.test"));
    await outbound.close();
  });

  it("refuses other schemes, user names and rubbish, and never repeats a password", async () => {
    for (const allowPrivate of [true, false]) {
      const outbound = await makeOutbound({ allowPrivate });
      const urls = [
        "file:///etc/passwd",
        "ftp://example.org/",
        "javascript:1",
        "http://u:hunter2@example.org/",
        "x",
        "",
      ];
      for (const url of [...urls, "https://hunter2@example.org/"]) {
        assert.throws(
          () => outbound.check(url),
          (error) => isForbidden(error) && !JSON.stringify([error.message, error.details]).includes("hunter2"),
          url,
        );
      }
      for (const url of ["https://example.org/mcp?x=1", "http://8.8.8.8:8080/"]) outbound.check(url);
      await outbound.close();
    }
  });
});

describe("the guard by itself", () => {
  it("refuses literals by their URL, and names by what they resolve to, before anything is dialled", async () => {
    const attempts = watchAttempts();
    const { check, lookupFor } = makeGuard({
      allowPrivate: false,
      resolve: async () => [v4("8.8.8.8"), v4("127.0.0.1")],
    });
    for (const url of ["http://127.0.0.1/", "http://[::1]/", "ws://example.org/"]) {
      assert.throws(() => check(url), isForbidden, url);
    }
    check("https://name.test/");
    const socket = connect({ host: "name.test", port: 1, lookup: lookupFor("http://name.test:1/") });
    const error = await new Promise((resolve) => socket.on("error", resolve));
    assert.ok(isForbidden(error), String(error));
    assert.deepEqual(attempts.addresses, []);
    attempts.stop();
  });

  it("lets both through where private addresses are allowed", async (test) => {
    const listener = createTcpServer((socket) => socket.end());
    test.after(() => listener.close());
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const { check, lookupFor } = makeGuard({ allowPrivate: true, resolve: async () => [v4("127.0.0.1")] });
    check("http://127.0.0.1/");
    const { port } = listener.address() as AddressInfo;
    const socket = connect({ host: "name.test", port, lookup: lookupFor(`http://name.test:${port}/`) });
    await new Promise((resolve, reject) => socket.on("connect", resolve).on("error", reject));
    assert.equal(socket.remoteAddress, "127.0.0.1");
    socket.destroy();
  });
});

function isForbidden(error: unknown): error is ZaguanError {
  return error instanceof ZaguanError && error.code === "FORBIDDEN_ADDRESS" && error.delivery === "not_sent";
}

function v4(address: string): ResolvedAddress {
  return { address, family: 4 };
}

function reached(outbound: Outbound, url: string): Promise<string> {
  return get(outbound.to(new URL(url).origin), url);
}

interface Wanted {
  readonly headers?: string[];
  /** The connection is not kept. */
  readonly reset?: boolean;
}

function get(outgoing: Outgoing, url: string, { headers = [], reset = false }: Wanted = {}): Promise<string> {
  const { origin, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = "";
    outgoing.dispatch(
      { origin, path: pathname, method: "GET", headers, reset },
      {
        onRequestStart: () => {},
        onResponseStart: () => {},
        onResponseData: (_controller, chunk) => {
          text += chunk.toString();
        },
        onResponseEnd: () => resolve(text),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

function failure(outbound: Outbound, url: string): Promise<unknown> {
  return reached(outbound, url).then(
    () => assert.fail("it was let through"),
    (error: unknown) => error,
  );
}

/** Node itself tells which addresses sockets go to. */
function watchAttempts(): { readonly addresses: string[]; stop(): void } {
  const addresses: string[] = [];
  const onSocket = (message: unknown) => {
    (message as { socket: Socket }).socket.on("connectionAttempt", (ip) => addresses.push(ip));
  };
  subscribe("net.client.socket", onSocket);
  return { addresses, stop: () => unsubscribe("net.client.socket", onSocket) };
}
