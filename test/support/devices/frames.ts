/**
 * What the voice devices and their servers have in common on the wire: one JSON-RPC object in a frame, bare or in the
 * envelope of type `mcp`, between frames of other types and of sound. What came is kept. It knows nothing of the hub's code.
 */
import type { RawData, WebSocket } from "ws";
import type { Message } from "../line-rpc.ts";
import { until } from "../processes.ts";

/** How a message is put into a frame. */
export type Form = "envelope" | "envelope without session" | "bare";

/** One text frame that came. */
export interface Kept {
  readonly text: string;
  /** The whole frame; undefined if it is not JSON. */
  readonly frame: Message;
  /** What MCP says in it, if anything. */
  readonly payload: Message;
  readonly form: Form;
  /** In milliseconds of our own clock. */
  readonly at: number;
}

export interface Ending {
  readonly code: number;
  readonly reason: string;
  readonly at: number;
}

/** Longer than the times of the protocols themselves (10 s for a hello, 30 s for a tool). */
export const PATIENCE_MS = 45_000;

export class Frames {
  readonly all: Kept[] = [];
  /** How many binary frames came. */
  binary = 0;
  readonly closed: Promise<Ending>;
  #ending: Ending | undefined;

  /** @param onFrame is told of each text frame after it was kept */
  constructor(socket: WebSocket, onFrame: (kept: Kept) => void = () => {}) {
    socket.on("error", () => {});
    socket.on("message", (data, isBinary) => {
      if (isBinary) this.binary++;
      else onFrame(this.#keep(data));
    });
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => {
        this.#ending = { code, reason: String(reason), at: performance.now() };
        resolve(this.#ending);
      });
    });
  }

  /** Undefined while it is open. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  get payloads(): Message[] {
    return this.all.map(({ payload }) => payload).filter((payload) => payload !== undefined);
  }

  /** Requests of the other side, by method. */
  asked(method: string): Message[] {
    return this.payloads.filter((payload) => payload?.method === method);
  }

  /** The first frame that is one, whenever it comes; fails as soon as none can come any more. */
  async first(what: string, isIt: (kept: Kept) => boolean, from = 0, limitMs: number = PATIENCE_MS): Promise<Kept> {
    const find = (): Kept | undefined => this.all.slice(from).find(isIt);
    await until(what, () => find() !== undefined || this.#ending !== undefined, limitMs);
    const found = find();
    if (!found) throw new Error(`the socket was closed (${JSON.stringify(this.#ending)}) before: ${what}`);
    return found;
  }

  /** The answer with this id among the frames that came from that place on. */
  answer(id: unknown, from: number, limitMs?: number): Promise<Kept> {
    const isIt = ({ payload }: Kept): boolean =>
      payload !== undefined && payload !== null && payload.method === undefined && payload.id === id;
    return this.first(`an answer with the id ${JSON.stringify(id)}`, isIt, from, limitMs);
  }

  #keep(data: RawData): Kept {
    const kept = read(String(data));
    this.all.push(kept);
    return kept;
  }
}

/** The text of a frame. */
export function framed(payload: unknown, form: Form, sessionId = ""): string {
  if (form === "bare") return JSON.stringify(payload);
  return JSON.stringify({ ...(form === "envelope" && { session_id: sessionId }), type: "mcp", payload });
}

function read(text: string): Kept {
  const frame = jsonIn(text);
  const at = performance.now();
  if (frame?.type === "mcp") {
    const form = "session_id" in frame ? "envelope" : "envelope without session";
    return { text, frame, payload: frame.payload, form, at };
  }
  const isBare = frame?.jsonrpc !== undefined || Array.isArray(frame);
  return { text, frame, payload: isBare ? frame : undefined, form: "bare", at };
}

function jsonIn(text: string): Message {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
