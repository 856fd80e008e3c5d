/**
 * WebSockets on bare sockets: text frames, one message each. The mask is all zeros, which the protocol allows and which
 * costs nothing; a server unmasks all the same.
 */
import { connect, type Socket } from "node:net";
import { INITIALIZE, INITIALIZED, isNotification } from "./messages.ts";
import type { Load, Target } from "./protocol.ts";
import type { Channel, Slot } from "./slot.ts";

type WebSocketTarget = Extract<Target, { kind: "websocket" }>;

const TEXT = 0x81;
const MASKED = 0x80;

/** A connection is its own session, so that each is greeted anew. */
export async function openWebSockets(target: WebSocketTarget, { question, connections }: Load): Promise<Channel> {
  const one = async (): Promise<Slot> => {
    const slot = await WebSocketSlot.connect(new URL(target.url));
    if (question.era === "2025") await slot.initialize();
    return slot;
  };
  return { connect: () => Promise.all(Array.from({ length: connections }, one)), close: async () => {} };
}

class WebSocketSlot implements Slot {
  onAnswer: Slot["onAnswer"] = () => {};
  onFailure: (reason: string) => void = () => {};
  readonly #socket: Socket;
  #buffered: Buffer = Buffer.alloc(0);
  /** Pieces of a frame, put together once all are there. */
  #pieces: Buffer[] = [];
  #missing = 0;
  #message: string[] = [];

  static connect(url: URL): Promise<WebSocketSlot> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
      socket.once("error", reject).once("connect", () => {
        const upgrade = "upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n";
        const key = "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
        socket.write(`GET ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\n${upgrade}${key}\r\n`);
      });
      socket.once("data", (head) => {
        if (!head.toString("latin1", 0, 12).endsWith("101"))
          reject(new Error(`no WebSocket: ${head.toString("latin1")}`));
        else resolve(new WebSocketSlot(socket));
      });
    });
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (error) => this.onFailure(error.message));
    socket.on("close", () => this.onFailure("the connection was closed"));
  }

  async initialize(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.onAnswer = () => resolve();
      this.onFailure = (reason) => reject(new Error(reason));
      this.send(0, INITIALIZE);
    });
    this.send(0, INITIALIZED);
  }

  send(_id: number, message: string): void {
    this.#socket.write(frameHead(message.length) + message, "latin1");
  }

  close(): void {
    this.onFailure = () => {};
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#pieces.push(chunk);
    this.#missing -= chunk.length;
    if (this.#missing > 0) return;
    this.#buffered = this.#pieces.length === 1 ? chunk : Buffer.concat(this.#pieces);
    while (this.#takeFrame());
    this.#pieces = this.#buffered.length === 0 ? [] : [this.#buffered];
  }

  /** False where the rest of a frame has still to come. */
  #takeFrame(): boolean {
    const buffer = this.#buffered;
    this.#missing = 0;
    if (buffer.length < 2) return false;
    const short = (buffer[1] as number) & 0x7f;
    const headSize = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (buffer.length < headSize) return false;
    const size = short < 126 ? short : short === 126 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
    this.#missing = headSize + size - buffer.length;
    if (this.#missing > 0) return false;
    this.#buffered = buffer.subarray(headSize + size);
    this.#frame(buffer[0] as number, buffer.toString("latin1", headSize, headSize + size));
    return true;
  }

  #frame(first: number, payload: string): void {
    const kind = first & 0x0f;
    if (kind === 0x8) this.onFailure("the server closed the WebSocket");
    if (kind > 0x2) return;
    this.#message.push(payload);
    if ((first & 0x80) === 0) return;
    const message = this.#message.join("");
    this.#message = [];
    if (!isNotification(message)) this.onAnswer(message);
  }
}

function frameHead(size: number): string {
  const head = Buffer.alloc(size < 126 ? 6 : size < 65_536 ? 8 : 14);
  head[0] = TEXT;
  head[1] = MASKED | (size < 126 ? size : size < 65_536 ? 126 : 127);
  if (size >= 65_536) head.writeBigUInt64BE(BigInt(size), 2);
  else if (size >= 126) head.writeUInt16BE(size, 2);
  return head.toString("latin1");
}
