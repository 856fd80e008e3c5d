import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { connect, type Socket } from "node:net";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import { until } from "../../../test/support/processes.ts";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import type { Door, Exchange } from "../door.ts";
import { DOORS } from "../index.ts";

const ROUTES = [
  ["GET", "/"],
  ["POST", "/"],
  ["GET", "/mcp"],
  ["POST", "/mcp"],
  ["DELETE", "/mcp"],
  ["GET", "/mcp/servers"],
  ["GET", "/health"],
  ["HEAD", "/health"],
  ["GET", "/nowhere"],
  ["PUT", "/mcp"],
  ["OPTIONS", "/mcp"],
] as const;

/** Connects many times; writes how many succeeded when all did, or after twenty seconds without another. */
const CROWD = `
  const [port, count] = process.argv.slice(1).map(Number);
  let connected = 0;
  const tell = () => process.stdout.write(String(connected), () => process.exit());
  let timer = setTimeout(tell, 20_000);
  const come = () => {
    clearTimeout(timer);
    if (++connected === count) tell();
    else timer = setTimeout(tell, 20_000);
  };
  for (let n = 0; n < count; n++) require("node:net").connect(port, "127.0.0.1", come).on("error", () => {});
`;

/** How many connections the system holds for a program that has not taken them yet. */
function mostWaiting(): number {
  const file = "/proc/sys/net/core/somaxconn";
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : 128;
}

describe("every door, known or not", () => {
  let doors: OpenDoors;
  before(async () => {
    doors = await openDoors(DOORS, { settings: { allowedOrigins: ["https://app.example.org"] } });
  });
  after(() => doors.close());

  const bad: readonly (readonly [what: string, headers: Record<string, string | string[]>])[] = [
    ["a foreign host", { host: "evil.example" }],
    ["a host that tries to move the path", { host: "localhost/health?x=" }],
    ["a foreign origin", { origin: "http://evil.example" }],
    ["the origin of a sandboxed page", { origin: "null" }],
    ["a picture of another site's page", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }],
    ["our origin beside a foreign one", { origin: ["https://app.example.org", "http://evil.example"] }],
  ];
  for (const [what, headers] of bad) {
    it(`refuses ${what} with 403`, async () => {
      for (const [method, path] of ROUTES) {
        const body = method === "POST" ? '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lamp"}}' : "";
        const asked = { method, body, headers: { ...headers, "content-type": "application/json" } };
        assert.equal((await doors.ask(path, asked)).status, 403, `${method} ${path}`);
      }
      assert.equal(doors.gateway.calls.length, 0);
    });
  }

  it("lets our own and allowed origins in", async () => {
    for (const origin of [`http://localhost:${doors.port}`, doors.url, "https://app.example.org"]) {
      assert.equal((await doors.ask("/health", { headers: { origin } })).status, 200, origin);
    }
  });

  it("is shut to a wrong key, save for those that are open to everybody", async () => {
    for (const [method, path] of ROUTES) {
      const { status } = await doors.ask(path, { method, headers: { "x-api-key": "wrong" } });
      const isPublic = path === "/health" || (path === "/" && method === "GET");
      assert.equal(status, isPublic ? 200 : 401, `${method} ${path}`);
    }
  });

  it("says where there is nothing, after the key has been checked", async () => {
    for (const path of [
      "/nowhere",
      "/MCP",
      "//mcp",
      "/mcp/",
      "/./mcp",
      "/%6dcp",
      "/mcp;x",
      "/mcp.",
      "/health/../mcp",
    ]) {
      const { status, json } = await doors.ask(path);
      assert.deepEqual([status, json.error?.data["code"]], [404, "NOT_FOUND"], path);
    }
    assert.match(await doors.raw(absolute("http://evil.example/health")), /^HTTP\/1\.1 404 /);
  });

  it("refuses a request with two Host headers, at a WebSocket too", async () => {
    const own = `Host: 127.0.0.1:${doors.port}\r\n`;
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    const ask = (path: string, headers: string) =>
      doors.raw(`GET ${path} HTTP/1.1\r\n${headers}Accept-Language: fr\r\nConnection: close\r\n\r\n`);
    assert.match(await ask("/health", own), /^HTTP\/1\.1 200 /);
    for (const second of [own, "hOST: evil.example\r\n", "Host:\r\n"]) {
      const answer = await ask("/health", own + second);
      assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*il y a deux en-têtes Host/, second);
      assert.match(await ask("/mcp", own + second + upgrade), /^HTTP\/1\.1 400 /, second);
    }
  });

  it("says what is possible where the method is not", async () => {
    const { status, headers, json } = await doors.ask("/mcp", { method: "PUT" });
    assert.deepEqual([status, headers.allow], [405, "POST, GET, DELETE"]);
    assert.equal(json.error?.data["code"], "METHOD_NOT_ALLOWED");
    assert.equal((await doors.ask("/health", { method: "POST" })).headers.allow, "GET");
  });

  it("answers HEAD like GET, without a body", async () => {
    for (const [path, status] of [
      ["/health", 200],
      ["/", 200],
      ["/mcp", 405],
      ["/nowhere", 404],
    ] as const) {
      const answer = await doors.ask(path, { method: "HEAD" });
      assert.deepEqual([answer.status, answer.text], [status, ""], path);
    }
  });

  it("has an answer to what is no HTTP, or too much of it", async () => {
    assert.match(await doors.raw("nonsense\r\n\r\n"), /^HTTP\/1\.1 400 /);
    assert.match(await doors.raw("GET /health HTTP/1.1\r\nconnection: close\r\n\r\n"), /^HTTP\/1\.1 400 /);
    assert.match(await doors.raw(absolute("/health", "expect: more\r\n")), /^HTTP\/1\.1 200 /);
    const smuggled =
      "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    assert.match(await doors.raw(smuggled), /^HTTP\/1\.1 400 /);
    const flood = `GET /health HTTP/1.1\r\nhost: localhost\r\nx: ${"x".repeat(20_000)}\r\n\r\n`;
    assert.match(await doors.raw(flood), /^HTTP\/1\.1 431 /);
    assert.equal((await doors.ask("/health")).status, 200);
  });

  it("lets go of whoever says nothing for ten seconds, and does not hang up in turn", async () => {
    const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === "TCPSocketWrap").length;
    const others = sockets();
    const socket = connect({ port: doors.port, host: "127.0.0.1", allowHalfOpen: true }).resume();
    await once(socket, "end");
    await until("only the caller's own end is left", () => sockets() === others + 1, 30_000);
    socket.destroy();
  });

  it("lets as many connect at once as the system has room for, also while it is busy", () => {
    const count = Math.min(1_500, mostWaiting());
    const clients = spawnSync(process.execPath, ["-e", CROWD, `${doors.port}`, `${count}`], { encoding: "utf8" });
    assert.equal(clients.stdout, `${count}`, clients.stderr);
  });

  it("survives callers that leave in the middle", async () => {
    const socket = connect(doors.port, "127.0.0.1");
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: localhost:${doors.port}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{`,
    );
    await once(socket, "connect");
    socket.resetAndDestroy();
    assert.equal((await doors.ask("/health")).status, 200);
    assert.deepEqual(doors.reported, []);
  });

  function absolute(url: string, headers = ""): string {
    return `GET ${url} HTTP/1.1\r\nhost: localhost:${doors.port}\r\n${headers}connection: close\r\n\r\n`;
  }
});

describe("requests that are sent before the answer to the one before", () => {
  const GET = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
  let begun: Exchange[] = [];
  let doors: OpenDoors;
  let caller: Socket;
  before(async () => {
    const handle = (exchange: Exchange) => void begun.push(exchange);
    doors = await openDoors([{ name: "slow", routes: [{ method: "GET", path: "/", needs: "see", handle }] }]);
  });
  beforeEach(async () => {
    begun = [];
    caller = connect(doors.port, "127.0.0.1").setEncoding("latin1");
    await once(caller, "connect");
  });
  afterEach(() => caller.destroy());
  after(() => doors.close());

  it("begin one after another, each when the answer before it has left, so that a connection holds one answer", async () => {
    caller.write(GET.repeat(3));
    for (const count of [1, 2, 3]) {
      await until(`${count} began`, () => begun.length >= count);
      assert.equal(begun.length, count);
      begun.at(-1)?.reply(200, `"answer ${count}"`);
      const [said] = await once(caller, "data");
      assert.match(said, new RegExp(`"answer ${count}"$`));
    }
  });

  it("may be a hundred; whoever sends one more is cut", async () => {
    caller.resume().write(GET.repeat(101));
    await until("the first began", () => begun.length === 1);
    assert.equal(caller.destroyed, false);
    caller.write(GET);
    await once(caller, "close");
    assert.equal(begun.length, 1);
  });

  const ofNode: readonly (readonly [what: string, request: string])[] = [
    ["a Host", "GET / HTTP/1.1\r\n\r\n"],
    ["an expectation that we know", "GET / HTTP/1.1\r\nhost: localhost\r\nexpect: more\r\n\r\n"],
  ];
  for (const [what, request] of ofNode) {
    it(`may be no more than a hundred without ${what}, either`, async () => {
      caller.resume().write(GET);
      await until("the first began", () => begun.length === 1);
      caller.write(request.repeat(100));
      await sleep(100);
      assert.equal(caller.destroyed, false);
      caller.write(request);
      await until("it is cut", () => caller.destroyed, 5_000);
    });
  }

  it("begin without the time that their connection had for reading a large answer", async () => {
    caller.resume().write(GET.repeat(2));
    await until("the first began", () => begun.length === 1);
    begun[0]?.reply(200, "x".repeat(10_000_000));
    await until("the second began", () => begun.length === 2);
    assert.equal(begun[1]?.request.socket.timeout, 0);
  });
});

describe("when there are as many connections as may be", () => {
  const callers: Socket[] = [];
  let doors: OpenDoors;
  beforeEach(async () => {
    const authenticate = async ({ "x-api-key": key }: IncomingHttpHeaders): Promise<Principal> => {
      if (typeof key !== "string") throw new ZaguanError("UNAUTHORIZED");
      return { id: `key:${key}`, kind: "key", name: key };
    };
    doors = await openDoors(DOORS, { authenticate, settings: { connections: 4 } });
  });
  afterEach(async () => {
    for (const caller of callers.splice(0)) caller.destroy();
    await doors.close();
  });

  it("a newcomer takes the place of the first on whose connection nobody was let in, whatever it asks", async () => {
    const crowd = [await come("/health"), await come("/mcp/servers"), await come(), await come("/health", "house")];
    const [health, refused, silent, house] = crowd as [Socket, Socket, Socket, Socket];
    await say(health, "/health");
    const second = await come("/health", "garden");
    await isCut(health);
    const third = await come("/health");
    await isCut(refused);
    const fourth = await come("/health");
    await isCut(silent);
    assert.deepEqual(
      [house, second, third, fourth].map(({ closed }) => closed),
      [false, false, false, false],
    );
  });

  it("nobody is cut who was let in: then newcomers are", async () => {
    const known = [];
    for (let n = 0; n < 4; n++) known.push(await come("/health", `key-${n}`));
    await isCut(await come());
    for (const one of known) await say(one, "/health");
    known[0]?.destroy();
    await until("there is room again", async () => (await doors.ask("/health").catch(() => undefined))?.status === 200);
  });

  it("a WebSocket stays where its caller was let in, too", async () => {
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
    const socket = await come("/mcp/ws", "house", `${upgrade}Sec-WebSocket-Key: ${"A".repeat(22)}==\r\n`);
    const strangers = [];
    for (let n = 0; n < 4; n++) strangers.push(await come("/health"));
    await isCut(strangers[0] as Socket);
    assert.equal(socket.closed, false);
  });

  /** Connects, and asks if there is something to ask. */
  async function come(path?: string, key?: string, headers = ""): Promise<Socket> {
    const caller = connect(doors.port, "127.0.0.1")
      .setEncoding("latin1")
      .on("error", () => {});
    callers.push(caller);
    await once(caller, "connect");
    if (path !== undefined) await say(caller, path, key, headers);
    return caller;
  }

  async function say(caller: Socket, path: string, key?: string, headers = ""): Promise<void> {
    const shown = key === undefined ? "" : `x-api-key: ${key}\r\n`;
    caller.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${shown}${headers}\r\n`);
    const [said] = await once(caller, "data");
    assert.match(said, /^HTTP\/1\.1 (?:101|200|401) /);
  }

  async function isCut(caller: Socket): Promise<void> {
    if (!caller.closed) await once(caller.resume(), "close");
  }
});

describe("who calls", () => {
  it("comes from this machine, unless a proxy passed the call on", async () => {
    const seen: boolean[] = [];
    const doors = await openDoors(DOORS, {
      authenticate: async (_, fromLoopback) => {
        seen.push(fromLoopback);
        throw new ZaguanError("UNAUTHORIZED");
      },
    });
    const passedOn: Record<string, string>[] = [{}, { "x-forwarded-for": "8.8.8.8" }, { forwarded: "for=8.8.8.8" }];
    for (const headers of passedOn) {
      const { status, headers: answered } = await doors.ask("/mcp/servers", { headers });
      assert.deepEqual([status, answered["www-authenticate"]], [401, "Bearer"]);
    }
    assert.deepEqual(seen, [true, false, false]);
    await doors.close();
  });
});

describe("a door", () => {
  const failing: Door = {
    name: "failing",
    routes: [
      { method: "GET", path: "/", needs: "see", handle: () => Promise.reject(new TypeError("at /home/me/secret.ts")) },
    ],
  };

  it("that fails unexpectedly answers 500 with a reference, and no inner detail", async () => {
    const doors = await openDoors([failing]);
    const { status, text, json } = await doors.ask("/");
    assert.deepEqual([status, json.error?.code], [500, -32603]);
    assert.match(json.error?.message ?? "", /ref-1/);
    assert.doesNotMatch(text, /secret/);
    assert.match(String(doors.reported[0]), /secret/);
    await doors.close();
  });

  it("is closed with the port, which gives running answers their time and takes no more", async () => {
    const started = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    let closed = 0;
    const slow: Door = {
      name: "slow",
      close: () => closed++,
      routes: [
        {
          method: "GET",
          path: "/",
          needs: "see",
          handle: async (exchange) => {
            started.resolve();
            await end.promise;
            exchange.reply(200, '"done"');
          },
        },
      ],
    };
    const doors = await openDoors([slow]);
    const answer = doors.ask("/");
    await started.promise;
    const closing = doors.close();
    assert.equal(closed, 1);
    await assert.rejects(doors.ask("/"), { code: "ECONNREFUSED" });
    end.resolve();
    assert.equal((await answer).text, '"done"');
    await closing;
  });

  it("says with each answer that the connection ends, once it is about to stop", async () => {
    const plain: Door = {
      name: "plain",
      routes: [{ method: "GET", path: "/", needs: "see", handle: (exchange) => exchange.reply(200, "1") }],
    };
    const doors = await openDoors([plain]);
    const connectionOf = async () =>
      (await doors.ask("/", { headers: { connection: "keep-alive" } })).headers.connection;
    assert.equal(await connectionOf(), "keep-alive");
    doors.drain();
    assert.equal(await connectionOf(), "close");
    await doors.close();
  });
});
