/**
 * Just enough of a WebSocket server for the echo server: text frames, each message sent in two fragments that cut a
 * character in two. It reads what a well-behaved client sends and nothing else.
 */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { EchoServer } from "./echo.ts";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const CONTINUATION = 0;
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const LAST = 0x80;

export function acceptSocket(echo: EchoServer, { headers }: IncomingMessage, socket: Duplex): void {
  const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}${GUID}`).digest("base64");
  const protocol = headers["sec-websocket-protocol"]?.split(/,\s*/).includes("mcp");
  const lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
  if (protocol) lines.push("Sec-WebSocket-Protocol: mcp");
  socket.write(`${[...lines, `Sec-WebSocket-Accept: ${accept}`].join("\r\n")}\r\n\r\n`);
  const frames = new Frames((opcode, payload) => take(echo, socket, opcode, payload));
  socket.on("data", (chunk: Buffer) => frames.push(chunk));
  socket.on("error", () => {});
}

function take(echo: EchoServer, socket: Duplex, opcode: number, payload: Buffer): void {
  if (opcode === PING) socket.write(frame(PONG | LAST, payload));
  else if (opcode === CLOSE) socket.end(frame(CLOSE | LAST, payload));
  else if (opcode === TEXT) void answer(echo, socket, payload.toString());
}

async function answer(echo: EchoServer, socket: Duplex, message: string): Promise<void> {
  const answered = await echo.answer(message);
  if (!answered) return;
  const bytes = Buffer.from(answered.text);
  const half = bytes.length >> 1;
  socket.write(frame(TEXT, bytes.subarray(0, half)));
  socket.write(frame(CONTINUATION | LAST, bytes.subarray(half)));
}

function frame(head: number, payload: Buffer): Buffer {
  const { length } = payload;
  if (length < 126) return Buffer.concat([Buffer.of(head, length), payload]);
  const size = Buffer.alloc(length < 65_536 ? 2 : 8);
  if (length < 65_536) size.writeUInt16BE(length);
  else size.writeBigUInt64BE(BigInt(length));
  return Buffer.concat([Buffer.of(head, length < 65_536 ? 126 : 127), size, payload]);
}

/** Whole messages out of a client's bytes; a client masks what it sends. */
class Frames {
  readonly #onMessage: (opcode: number, payload: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);
  #pieces: Buffer[] = [];
  #opcode = 0;

  constructor(onMessage: (opcode: number, payload: Buffer) => void) {
    this.#onMessage = onMessage;
  }

  push(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let taken = this.#frame(); taken > 0; taken = this.#frame()) this.#rest = this.#rest.subarray(taken);
  }

  /** Takes the first frame if all of it is there; returns its length in bytes. */
  #frame(): number {
    const bytes = this.#rest;
    if (bytes.length < 2) return 0;
    const short = bytes.readUInt8(1) & 0x7f;
    const extra = { 126: 2, 127: 8 }[short] ?? 0;
    const start = 2 + extra + 4;
    if (bytes.length < start) return 0;
    const length = extra === 0 ? short : Number.parseInt(bytes.toString("hex", 2, 2 + extra), 16);
    if (bytes.length < start + length) return 0;
    const mask = bytes.subarray(start - 4, start);
    const payload = bytes.subarray(start, start + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    this.#take(bytes.readUInt8(0), Buffer.from(payload));
    return start + length;
  }

  #take(head: number, payload: Buffer): void {
    const opcode = head & 0x0f;
    if (opcode >= CLOSE) {
      this.#onMessage(opcode, payload);
      return;
    }
    if (opcode !== CONTINUATION) this.#opcode = opcode;
    this.#pieces.push(payload);
    if (head & LAST) this.#onMessage(this.#opcode, Buffer.concat(this.#pieces.splice(0)));
  }
}
