import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from "node:net";
import { afterEach, describe, it } from "node:test";
import { type WebSocket as Peer, type ServerOptions, WebSocketServer } from "ws";
import { failure } from "../../test/support/http-house.ts";
import { makeError } from "../../test/support/make-error.ts";
import { until } from "../../test/support/processes.ts";
import type { ZaguanError } from "../errors.ts";
import type { CutMessage } from "../protocol/framing/passed-over.ts";
import { sayEnding } from "./ending.ts";
import type { Link } from "./link.ts";
import { openWebSocket, type WebSocketOptions } from "./websocket.ts";

const CALL = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}}';
const ANSWER = '{"jsonrpc":"2.0","id":2,"result":{"big": 9007199254740993, "ñ":"🏠"}}';
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

describe("opening", () => {
  const selections: Record<string, ServerOptions["handleProtocols"]> = {
    'selects "mcp"': () => "mcp",
    "selects no subprotocol": () => false,
  };
  for (const [what, handleProtocols] of Object.entries(selections)) {
    it(`works with a server that ${what}, in one connection`, async () => {
      const house = await serve({ handleProtocols });
      const { link, messages } = await connect(house);
      const peer = house.peers[0] ?? assert.fail();
      peer.send(ANSWER);
      await link.send(CALL);
      await until("both have heard", () => messages.length === 1 && house.received.length === 1);
      assert.deepEqual([messages, house.received], [[ANSWER], [CALL]]);
      assert.equal(house.requests[0]?.headers["sec-websocket-protocol"], "mcp");
      assert.equal(house.connections(), 1);
    });
  }

  it("works with a server that knows nothing of subprotocols, and one that selects mcp unasked", async () => {
    for (const line of ["", "sec-websocket-protocol: mcp\r\n"]) {
      const url = await serveRaw(line);
      const { messages } = await connect({ url });
      await until("what came with the handshake", () => messages.length === 1);
      assert.deepEqual(messages, ["{}"]);
    }
  });

  it("sends our headers, offers no compression, and leaves the handshake's headers alone", async () => {
    const house = await serve({ perMessageDeflate: true });
    const headers = {
      Authorization: "Bearer ours",
      Connection: "close",
      "sec-websocket-extensions": "x",
      Upgrade: "h2c",
    };
    await connect(house, { headers });
    const seen = house.requests[0]?.headers;
    assert.deepEqual([seen?.authorization, seen?.connection, seen?.upgrade], ["Bearer ours", "Upgrade", "websocket"]);
    assert.equal(seen?.["sec-websocket-extensions"], undefined);
  });

  it("takes ws: and http: for the same", async () => {
    const house = await serve();
    for (const url of [house.url, house.url.replace("ws:", "http:"), `${house.url}#part`]) await connect({ url });
    assert.deepEqual(
      house.requests.map(({ url }) => url),
      ["/mcp?x=1", "/mcp?x=1", "/mcp?x=1"],
    );
  });

  const refusals: Record<string, { status: string; reason: string }> = {
    "404": { status: "404 Not Found", reason: "HTTP 404" },
    "426": { status: "426 Upgrade Required", reason: "HTTP 426" },
    "500": { status: "500 Internal Server Error", reason: "HTTP 500" },
    "403": {
      status: "403 Forbidden",
      reason: "it refused our credentials (HTTP 403): check the key or the headers that are set for it",
    },
    "a redirect": {
      status: "302 Found\r\nlocation: ws://127.0.0.1:1/",
      reason: "it redirects to ws://127.0.0.1:1/ (HTTP 302), which is not followed",
    },
    "a page": { status: "200 OK", reason: "it opened no WebSocket (HTTP 200)" },
  };
  for (const [what, { status, reason }] of Object.entries(refusals)) {
    it(`fails in plain words, and leaves nothing behind: ${what}`, async () => {
      const house = await serveText(`HTTP/1.1 ${status}\r\ncontent-length: 100\r\n\r\nsorry`);
      await assertUnopened(connect(house), reason);
      await until("no socket", () => house.sockets.size === 0);
      assert.equal(house.connections(), 1);
    });
  }

  it("passes on when to come back", async () => {
    const house = await serveText("HTTP/1.1 503 Busy\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n");
    const error = await assertUnopened(connect(house), "HTTP 503");
    assert.equal(error.details.retryAfterMs, 7000);
  });

  const rubbish: Record<string, { text: string; reason: string }> = {
    "no HTTP": { text: "hello, who is there?\r\n\r\n", reason: "its WebSocket handshake is not valid" },
    "a wrong proof": { text: handshake("AAAA", ""), reason: "its WebSocket handshake is not valid" },
    "a hang-up": { text: "", reason: "the connection was reset" },
  };
  for (const [what, { text, reason }] of Object.entries(rubbish)) {
    it(`fails in plain words, and leaves nothing behind: ${what}`, async () => {
      const house = await serveText(text, true);
      await assertUnopened(connect(house), reason);
      await until("no socket", () => house.sockets.size === 0);
    });
  }

  it("fails in plain words where a subprotocol is selected that nobody offered", async () => {
    const url = await serveRaw("sec-websocket-protocol: chat\r\n");
    await assertUnopened(connect({ url }), "its WebSocket handshake is not valid");
  });

  it("fails in plain words where nobody listens, and with headers that cannot be sent", async () => {
    const house = await serve();
    await assertUnopened(
      connect(house, { headers: { "x-a": "b\r\nc" } }),
      "its configured URL or headers are not valid",
    );
    await house.stop();
    await assertUnopened(connect(house), "connection refused");
  });

  it("goes to no private address unless that is allowed", async () => {
    const house = await serve();
    const hosts = ["127.0.0.1", "localhost", "127.1", "[::ffff:127.0.0.1]"];
    for (const url of hosts.map((host) => house.url.replace("127.0.0.1", host))) {
      const error = await failure(connect({ url }, { allowPrivate: false }));
      assert.deepEqual([error.code, error.delivery], ["FORBIDDEN_ADDRESS", "not_sent"], url);
    }
    assert.equal(house.connections(), 0);
  });

  it("goes nowhere with another scheme or a password in the URL", async () => {
    for (const url of ["ftp://example.org/", "ws+unix:///tmp/socket", "ws://user:hunter2@127.0.0.1/", "rubbish"]) {
      const error = await failure(connect({ url }));
      assert.equal(error.code, "FORBIDDEN_ADDRESS");
      assert.ok(!JSON.stringify([error.message, error.details]).includes("hunter2"));
    }
  });
});

describe("giving up opening", () => {
  it("before it began: nothing is dialled", async () => {
    const house = await serve();
    const error = await failure(connect(house, { signal: AbortSignal.abort() }));
    assert.deepEqual([error.code, error.delivery, house.connections()], ["CANCELLED", "not_sent", 0]);
  });

  for (const scheme of ["ws", "wss"]) {
    it(`while nothing is answered: no socket stays (${scheme})`, async () => {
      const house = await serveText("");
      const controller = new AbortController();
      const url = house.url.replace("ws:", `${scheme}:`);
      const opening = failure(connect({ url }, { signal: controller.signal }));
      await until("a connection", () => house.sockets.size === 1);
      controller.abort(makeError("DEADLINE_EXCEEDED"));
      const error = await opening;
      assert.deepEqual([error.code, error.delivery], ["DEADLINE_EXCEEDED", "not_sent"]);
      await until("no socket", () => house.sockets.size === 0);
    });
  }

  it("means nothing once it is open", async () => {
    const house = await serve();
    const controller = new AbortController();
    const { link } = await connect(house, { signal: controller.signal });
    controller.abort();
    await link.send(CALL);
    await until("the message", () => house.received.length === 1);
  });
});

describe("what comes", () => {
  it("is one message per text frame, in pieces or whole, with or without a line end", async () => {
    const { peer, messages, noise } = await pair();
    const bytes = Buffer.from(ANSWER);
    const cuts = [bytes.subarray(0, 50), bytes.subarray(50, 67), bytes.subarray(67)];
    for (const [index, piece] of cuts.entries()) peer.send(piece, { binary: false, fin: index === 2 });
    peer.send(`${CALL}\n`);
    await until("both", () => messages.length === 2);
    assert.deepEqual([messages, noise], [[ANSWER, `${CALL}\n`], []]);
  });

  it("comes one by one out of an array", async () => {
    const { peer, messages } = await pair();
    peer.send(`[ ${ANSWER} , {"n":1}]`);
    await until("both", () => messages.length === 2);
    assert.deepEqual(messages, [ANSWER, '{"n":1}']);
  });

  it("is noise if it is binary or a broken array, and nothing if it is blank", async () => {
    const { peer, messages, noise } = await pair();
    peer.send(Buffer.from(CALL));
    for (const text of ["", "\n", "[1", CALL]) peer.send(text);
    await until("the message", () => messages.length === 1);
    assert.deepEqual([messages, noise], [[CALL], ["a binary frame", "[1"]]);
  });

  it("is told with its size, and lost alone, if it is larger than allowed", async () => {
    const { peer, messages, tooLarge } = await pair({ maxBytes: 1000 });
    const large = `{"id":1,"result":"${"x".repeat(2000)}"}`;
    peer.send(large);
    peer.send(CALL);
    await until("the next message", () => messages.length === 1);
    assert.deepEqual(tooLarge, [{ bytes: large.length, limit: 1000, head: large, tail: large }]);
  });

  it("ends the link if it is much larger than allowed", async () => {
    const { peer, link, messages } = await pair({ maxBytes: 1000 });
    peer.send("x".repeat(4001));
    const closed = once(peer, "close");
    assert.equal(sayEnding(await link.closed), "it sent a message much larger than 1000 bytes");
    assert.deepEqual([(await closed)[0], messages], [1009, []]);
  });

  it("ends the link if it breaks the rules", async () => {
    const { peer, link } = await pair();
    wireOf(peer).write(Buffer.from([0x81, 0x02, 0xff, 0xff]));
    assert.equal(sayEnding(await link.closed), "it broke the rules of WebSocket");
  });
});

describe("what is sent", () => {
  it("arrives in order, one text frame each", async () => {
    const { link, house } = await pair();
    const texts = Array.from({ length: 100 }, (_, n) => `{"n":${n},"fill":"${"ñ".repeat(n * 100)}"}`);
    await Promise.all(texts.map((text) => link.send(text)));
    await until("all", () => house.received.length === 100);
    assert.deepEqual(house.received, texts);
  });

  it("waits while the peer does not read, and can be taken back as long as it waits", async () => {
    const { link, peer, house } = await pair();
    peer.pause();
    const controller = new AbortController();
    const { sent, waiting } = await fill(link);
    const takenBack = failure(link.send('"taken back"', controller.signal));
    const late = link.send('"late"');
    controller.abort();
    const error = await takenBack;
    assert.deepEqual([error.code, error.delivery], ["CANCELLED", "not_sent"]);
    peer.resume();
    await Promise.all([...waiting, late]);
    await until("all", () => house.received.length === sent + 1);
    assert.equal(house.received.at(-1), '"late"');
  });

  it("is refused when too much waits, as certainly not sent", async () => {
    const { link, peer } = await pair();
    peer.pause();
    const { waiting } = await fill(link);
    const more = Array.from({ length: 20 }, () => link.send("x".repeat(1_000_000)));
    const error = await failure(Promise.all(more));
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    assert.equal(error.details.params?.["reason"], "it does not read what it is sent");
    peer.terminate();
    await Promise.allSettled([...waiting, ...more]);
  });

  it("is unknown if the connection dies while it is written, and not sent if it still waited", async () => {
    const { link, peer } = await pair();
    peer.pause();
    const { waiting } = await fill(link);
    const late = link.send('"late"');
    peer.terminate();
    assert.equal(sayEnding(await link.closed), "the connection was lost");
    const fates = await Promise.all([...waiting, late].map(fate));
    assert.match(fates.join(" "), /^(sent )*(unknown )+(not_sent ?)+$/);
  });

  it("is refused where it was taken back before", async () => {
    const { link, house } = await pair();
    const error = await failure(link.send(CALL, AbortSignal.abort()));
    assert.deepEqual([error.code, error.delivery], ["CANCELLED", "not_sent"]);
    await link.send(ANSWER);
    await until("the other", () => house.received.length === 1);
    assert.deepEqual(house.received, [ANSWER]);
  });
});

describe("the end", () => {
  const ends: Record<string, { end: (peer: Peer) => void; reason: string }> = {
    "a goodbye": { end: (peer) => peer.close(), reason: "the server closed the connection" },
    "a goodbye with a code": { end: (peer) => peer.close(1001), reason: "the server closed the connection (1001)" },
    "a goodbye with words": {
      end: (peer) => peer.close(1011, "no\u001b[31m more\nto say"),
      reason: "the server closed the connection (1011: no [31m more to say)",
    },
    "a death": { end: (peer) => peer.terminate(), reason: "the connection was lost" },
    "a connection ended without goodbye": { end: (peer) => wireOf(peer).end(), reason: "the connection was lost" },
  };
  for (const [what, { end, reason }] of Object.entries(ends)) {
    it(`is told in plain words, and nothing is sent after it: ${what}`, async () => {
      const { link, peer, house } = await pair();
      end(peer);
      assert.equal(sayEnding(await link.closed), reason);
      const error = await failure(link.send(CALL));
      assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
      assert.equal(error.details.params?.["reason"], reason);
      await link.close();
      await until("no socket", () => house.sockets.size === 0);
    });
  }

  it("is ours to say politely", async () => {
    const { link, peer, house } = await pair();
    const closed = once(peer, "close");
    await link.send(CALL);
    await Promise.all([link.close(), link.close()]);
    assert.equal(sayEnding(await link.closed), "closed");
    assert.deepEqual([(await closed)[0], house.received], [1000, [CALL]]);
    assert.equal((await failure(link.send(CALL))).delivery, "not_sent");
    await until("no socket", () => house.sockets.size === 0);
  });

  it("comes all the same where nobody answers our goodbye", async () => {
    const url = await serveRaw("");
    const { link } = await connect({ url });
    await link.close();
    assert.equal(sayEnding(await link.closed), "closed");
  });

  it("comes all the same where the server ends its half and does not read ours", async () => {
    const { link, peer } = await pair();
    peer.pause();
    const { waiting } = await fill(link);
    wireOf(peer).end();
    await until("it is noticed", () => wireOf(peer).writableFinished);
    await link.close();
    assert.ok((await Promise.all(waiting.map(fate))).includes("unknown"));
  });
});

describe("pings", () => {
  it("are answered", async () => {
    const { peer } = await pair();
    const pong = once(peer, "pong");
    peer.ping("are you there");
    assert.equal(String((await pong)[0]), "are you there");
  });

  it("are sent, and two without a sign of life end the link", async () => {
    const { link, peer } = await pair({ pingMs: 50 }, { autoPong: false });
    let pings = 0;
    peer.on("ping", () => pings++);
    assert.equal(sayEnding(await link.closed), "it does not answer pings");
    await until("both pings", () => pings === 2);
  });

  it("end nothing while anything comes: pongs, or a long message in pieces", async () => {
    const quiet = await pair({ pingMs: 50 }, { autoPong: false });
    const polite = await pair({ pingMs: 50 });
    let [quietPings, politePings] = [0, 0];
    polite.peer.on("ping", () => politePings++);
    quiet.peer.on("ping", () => {
      quiet.peer.send("x", { fin: false });
      quietPings++;
    });
    await until("many pings", () => quietPings >= 6 && politePings >= 6);
    for (const { peer } of [quiet, polite]) peer.send('"end"');
    await until("still there", () => quiet.messages.length === 1 && polite.messages.length === 1);
  });
});

interface House {
  readonly url: string;
  readonly peers: Peer[];
  readonly received: string[];
  readonly requests: IncomingMessage[];
  readonly sockets: ReadonlySet<Socket>;
  connections(): number;
  stop(): Promise<void>;
}

async function serve(options: ServerOptions = {}): Promise<House> {
  const house = { peers: [] as Peer[], received: [] as string[], requests: [] as IncomingMessage[] };
  const http = createServer();
  const acceptor = new WebSocketServer({ ...options, server: http });
  acceptor.on("connection", (peer, request) => {
    house.peers.push(peer);
    house.requests.push(request);
    peer.on("error", () => {});
    peer.on("message", (data) => house.received.push(String(data)));
  });
  const watched = watch(http);
  const port = await listen(http);
  const stop = async (): Promise<void> => {
    for (const peer of acceptor.clients) peer.terminate();
    await new Promise((resolve) => http.close(resolve));
  };
  cleanups.push(stop);
  return { ...house, ...watched, stop, url: `ws://127.0.0.1:${port}/mcp?x=1` };
}

interface TextHouse {
  readonly url: string;
  readonly sockets: ReadonlySet<Socket>;
  connections(): number;
}

/** Answers anything with a text, and may hang up after it. */
async function serveText(text: string, hangUp = false): Promise<TextHouse> {
  const server = createTcpServer((socket) => {
    socket.once("data", () => (hangUp ? socket.end(text) : socket.write(text)));
  });
  const watched = watch(server);
  const port = await listen(server);
  cleanups.push(() => closeAll(server, watched.sockets));
  return { ...watched, url: `ws://127.0.0.1:${port}/` };
}

/** Shakes hands with the given header line, says `{}` in the same breath, and nothing ever after. */
async function serveRaw(line: string): Promise<string> {
  const server = createServer();
  server.on("upgrade", (request, socket) => {
    const key = String(request.headers["sec-websocket-key"]);
    socket.on("error", () => {});
    socket.write(
      Buffer.concat([Buffer.from(handshake(proof(key), line)), Buffer.from([0x81, 0x02]), Buffer.from("{}")]),
    );
  });
  const { sockets } = watch(server);
  const port = await listen(server);
  cleanups.push(() => closeAll(server, sockets));
  return `ws://127.0.0.1:${port}/`;
}

function handshake(accept: string, line: string): string {
  const head = "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade";
  return `${head}\r\nsec-websocket-accept: ${accept}\r\n${line}\r\n`;
}

function proof(key: string): string {
  return hash("sha1", `${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`, "base64");
}

function watch(server: TcpServer): { sockets: ReadonlySet<Socket>; connections(): number } {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  return { sockets, connections: () => connections };
}

async function listen(server: TcpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

async function closeAll(server: TcpServer, sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
}

interface Connected {
  readonly link: Link;
  readonly messages: string[];
  readonly noise: string[];
  readonly tooLarge: CutMessage[];
}

async function connect({ url }: { readonly url: string }, more: Partial<WebSocketOptions> = {}): Promise<Connected> {
  const messages: string[] = [];
  const noise: string[] = [];
  const tooLarge: CutMessage[] = [];
  const options = { url, headers: {}, allowPrivate: true, name: "casa", maxBytes: 1_000_000, ...more };
  const link = await openWebSocket(options, {
    onMessage: (message) => messages.push(message),
    onNoise: (line) => noise.push(line),
    onTooLarge: (message) => tooLarge.push(message),
  });
  cleanups.push(() => link.close());
  return { link, messages, noise, tooLarge };
}

/** A link and the other end of it. */
async function pair(
  more: Partial<WebSocketOptions> = {},
  options: ServerOptions = {},
): Promise<Connected & { readonly house: House; readonly peer: Peer }> {
  const house = await serve(options);
  const connected = await connect(house, more);
  return { ...connected, house, peer: house.peers[0] ?? assert.fail() };
}

/** Sends until a message is no longer taken at once: from then on, whatever follows waits. */
async function fill(link: Link): Promise<{ sent: number; waiting: Promise<void>[] }> {
  const waiting = new Set<Promise<void>>();
  for (let sent = 1; ; sent++) {
    const sending = link.send("x".repeat(500_000));
    waiting.add(sending);
    sending.then(() => waiting.delete(sending)).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (waiting.size > 4) return { sent, waiting: [...waiting] };
  }
}

function fate(sending: Promise<void>): Promise<string> {
  return sending.then(
    () => "sent",
    (error) => String((error as ZaguanError).delivery),
  );
}

async function assertUnopened(opening: Promise<unknown>, reason: string): Promise<ZaguanError> {
  const error = await failure(opening);
  assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
  assert.deepEqual(error.details.params, { source: "casa", reason });
  return error;
}

function wireOf(peer: Peer): Socket {
  return (peer as unknown as { _socket: Socket })._socket;
}
