/** Connections that send what no HTTP client sends, and what came back: how many answers of which status. */
import { connect } from "node:net";
import { garbage } from "./mutator.ts";
import type { Random } from "./seed.ts";

/** Who waits for more from us is left alone after this. */
const PATIENCE_MS = 100;

const BODY = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** On one connection. Counts by status; "silence" where nothing came back, "noise" where it was no HTTP. */
export async function throwGarbage(url: URL, random: Random, counts: Record<string, number>): Promise<void> {
  const status = statusOf(await exchange(url, random.pick(PIECES)(random, url.host), random.chance(2)));
  counts[status] = (counts[status] ?? 0) + 1;
}

const PIECES: readonly ((random: Random, host: string) => Buffer)[] = [
  (random) => garbage(random, 1 + random.int(2_000)),
  (random, host) =>
    Buffer.concat([text(`POST /mcp HTTP/1.1\r\nHost: ${host}\r\n`), garbage(random, 200), text("\r\n\r\n")]),
  (random, host) =>
    text(`POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${random.pick(LENGTHS)}\r\n\r\n${BODY}`),
  (_, host) =>
    text(`POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
  (_, host) => text(`POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\n${BODY}`),
  (random, host) =>
    text(`POST /mcp HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n${random.pick(CHUNKS)}`),
  (_, host) => text(`GET /health HTTP/1.1\r\nHost: ${host}\r\nX: a\r\n b\r\n\0: c\r\n\r\n`),
  (random, host) =>
    text(`GET /health HTTP/1.1\r\nHost: ${host}\r\nX: ${"y".repeat(random.pick([10, 20_000, 100_000]))}\r\n\r\n`),
  (_, host) => text(`GET /health HTTP/1.1\r\nHost: ${host}\r\n${"A: b\r\n".repeat(3_000)}\r\n`),
  (random) => text(`GET /health HTTP/1.1\r\nHost: ${random.pick(HOSTS)}\r\n\r\n`),
  (random, host) =>
    text(`${random.pick(METHODS)} ${random.pick(PATHS)} HTTP/1.${random.int(3)}\r\nHost: ${host}\r\n\r\n`),
  (random, host) => text(`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(1 + random.int(20))),
  () => text("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  (random) => Buffer.concat([Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]), garbage(random, 300)]),
  (_, host) => text(`GET /mcp HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`),
  () => Buffer.alloc(0),
];
const LENGTHS = ["-1", "1e3", "0x10", "99999999999999999999", "40, 40", "", "3", "41"];
const CHUNKS = [
  "zz\r\n",
  "ffffffffffffffff\r\n{}",
  "-1\r\n\r\n",
  `5;${"e".repeat(20_000)}\r\n`,
  "2\r\n{}\r\n0\r\nTrailer: x\r\n\r\n",
];
const HOSTS = ["", " ", "a b", "localhost/health?x=", "localhost@evil", "[::1", "x".repeat(3_000), "127.0.0.1:1"];
const METHODS = ["GET", "POST", "BREW", "CONNECT", "TRACE", "OPTIONS", "get", "G\0T", "PURGE"];
const PATHS = [
  "/mcp",
  "//mcp",
  "/../health",
  "/%2e%2e/mcp",
  "*",
  "http://evil.example/mcp",
  "/health?\u00ff",
  "/mcp/servers/",
  "",
];

/** Sends, waits for an answer or not long, and leaves: politely or not. */
function exchange(url: URL, bytes: Buffer, politely: boolean): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(Number(url.port), url.hostname, () => {
      if (politely) socket.end(bytes);
      else socket.write(bytes);
    });
    const timer = setTimeout(() => (politely ? socket.destroy() : socket.resetAndDestroy()), PATIENCE_MS);
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      received += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(received);
    });
  });
}

function statusOf(received: string): string {
  if (received === "") return "silence";
  return /^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1] ?? "noise";
}

function text(value: string): Buffer {
  return Buffer.from(value, "latin1");
}
