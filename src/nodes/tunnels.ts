/**
 * Byte streams in both directions between two nodes, over the bus: what a socket would be. Messages may be lost while NATS is
 * away; a tunnel that misses a message fails like a broken socket. No data is sent before the other node has accepted the tunnel.
 */
import { Duplex } from "node:stream";
import type { Peer } from "../cluster/peer.ts";
import { ZaguanError } from "../errors.ts";

/** `tunnel` is the name that the opening side has given; it is unique among the tunnels of that boot. */
export type TunnelMessage =
  | { readonly tunnel: string; readonly do: "open"; readonly about: unknown }
  | { readonly tunnel: string; readonly do: "opened" | "end" | "reset" }
  /** `bytes` are Latin-1 characters, one per byte; `number` counts messages from 1. */
  | { readonly tunnel: string; readonly do: "data"; readonly number: number; readonly bytes: string }
  /** How many bytes were read in total: the flow control window. */
  | { readonly tunnel: string; readonly do: "read"; readonly bytes: number };

interface TunnelsSetup {
  readonly self: Peer;
  /** False if the message certainly did not leave. */
  send(to: Peer, message: TunnelMessage): boolean;
  /** Called with a tunnel that another node has opened. */
  accept(tunnel: Tunnel, about: unknown): void;
}

/** How many bytes may be sent beyond what the other side has read. */
const WINDOW_BYTES = 524_288;
/** The bus splits larger messages, and smaller ones may then overtake their parts. */
const MESSAGE_BYTES = 65_536;
const OPEN_TIMEOUT_MS = 5_000;
const POLL_MS = 25;

interface Opening {
  readonly tunnel: Tunnel;
  readonly opened: PromiseWithResolvers<Tunnel>;
  readonly timer: NodeJS.Timeout;
}

export class Tunnels {
  readonly #setup: TunnelsSetup;
  readonly #tunnels = new Map<string, Tunnel>();
  readonly #opening = new Map<string, Opening>();
  #count = 0;

  constructor(setup: TunnelsSetup) {
    this.#setup = setup;
  }

  get size(): number {
    return this.#tunnels.size;
  }

  /** Rejects if the other node does not accept; nothing was sent then. @param about tells it what the tunnel is for */
  open(peer: Peer, about: unknown): Promise<Tunnel> {
    const name = `${this.#setup.self.boot}.${++this.#count}`;
    const tunnel = this.#make(name, peer);
    const opened = Promise.withResolvers<Tunnel>();
    const timer = setTimeout(() => tunnel.destroy(notSent(peer)), OPEN_TIMEOUT_MS);
    this.#opening.set(name, { tunnel, opened, timer });
    tunnel.once("close", () => this.#settle(name)?.opened.reject(notSent(peer)));
    if (!this.#setup.send(peer, { tunnel: name, do: "open", about })) tunnel.destroy();
    return opened.promise;
  }

  received(from: Peer, message: TunnelMessage): void {
    const { tunnel: name } = message;
    const tunnel = this.#tunnels.get(keyOf(from, name));
    if (message.do === "open") this.#accept(from, name, message.about);
    else if (!tunnel) {
      // The sender learns that the tunnel does not exist. A reset is never answered, or two nodes would answer each other for ever.
      if (message.do !== "reset") this.#setup.send(from, { tunnel: name, do: "reset" });
    } else if (message.do === "opened") {
      const opening = this.#settle(name);
      opening?.opened.resolve(tunnel);
    } else tunnel.received(message);
  }

  /** Breaks all tunnels to a node that is gone. */
  gone({ boot }: Peer): void {
    for (const tunnel of this.#tunnels.values()) if (tunnel.peer.boot === boot) tunnel.destroy(broken());
  }

  /** Resolves when no tunnel is left, or after the timeout. */
  async idle(timeoutMs: number): Promise<void> {
    const until = performance.now() + timeoutMs;
    while (this.size > 0 && performance.now() < until) await new Promise((done) => setTimeout(done, POLL_MS));
  }

  close(): void {
    for (const tunnel of this.#tunnels.values()) tunnel.destroy();
  }

  #accept(from: Peer, name: string, about: unknown): void {
    const tunnel = this.#make(name, from);
    this.#setup.send(from, { tunnel: name, do: "opened" });
    this.#setup.accept(tunnel, about);
  }

  #make(name: string, peer: Peer): Tunnel {
    const key = keyOf(peer, name);
    const tunnel = new Tunnel(peer, (message) => this.#setup.send(peer, { tunnel: name, ...message }));
    tunnel.on("error", () => {});
    tunnel.once("close", () => this.#tunnels.delete(key));
    this.#tunnels.set(key, tunnel);
    return tunnel;
  }

  #settle(name: string): Opening | undefined {
    const opening = this.#opening.get(name);
    this.#opening.delete(name);
    clearTimeout(opening?.timer);
    return opening;
  }
}

type WithoutName<M> = M extends unknown ? Omit<M, "tunnel"> : never;
type TunnelEvent = WithoutName<Exclude<TunnelMessage, { do: "open" | "opened" }>>;

/** One end of a tunnel, with the methods of a socket that Node's HTTP client and server need. */
export class Tunnel extends Duplex {
  readonly peer: Peer;
  readonly #send: (message: TunnelEvent) => boolean;
  #sent = 0;
  #sentBytes = 0;
  #confirmedBytes = 0;
  #received = 0;
  #receivedBytes = 0;
  #reportedBytes = 0;
  #blockedWrite: (() => void) | undefined;
  #hasEnd = false;
  /** The other end is closed and ignores what is sent. */
  #hasReset = false;
  #idleTimer: NodeJS.Timeout | undefined;
  #idleMs = 0;

  constructor(peer: Peer, send: (message: TunnelEvent) => boolean) {
    super({ allowHalfOpen: true });
    this.peer = peer;
    this.#send = send;
  }

  /** Handles a message of the other end. */
  received(message: TunnelEvent): void {
    this.#resetIdleTimer();
    if (message.do === "data") this.#takeData(message.number, message.bytes);
    else if (message.do === "read") this.#takeRead(message.bytes);
    else if (message.do === "end") this.#takeEnd();
    else this.#takeReset();
  }

  /** Emits `timeout` after so long without traffic, as a socket does. */
  setTimeout(ms: number, listener?: () => void): this {
    this.#idleMs = ms;
    if (listener) this.once("timeout", listener);
    this.#resetIdleTimer();
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy()).end();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#resetIdleTimer();
    this.#sentBytes += chunk.length;
    if (this.#hasReset) done();
    else if (!this.#sendAll(chunk)) done(broken());
    else if (this.#sentBytes - this.#confirmedBytes <= WINDOW_BYTES) done();
    else this.#blockedWrite = done;
  }

  #sendAll(chunk: Buffer): boolean {
    let isSent = true;
    for (let at = 0; isSent && at < chunk.length; at += MESSAGE_BYTES) {
      const bytes = chunk.toString("latin1", at, at + MESSAGE_BYTES);
      isSent = this.#send({ do: "data", number: ++this.#sent, bytes });
    }
    return isSent;
  }

  override _final(done: (error?: Error | null) => void): void {
    if (!this.#hasReset) this.#send({ do: "end" });
    done();
  }

  override _read(): void {
    if (this.#receivedBytes - this.#reportedBytes < WINDOW_BYTES / 4) return;
    this.#reportedBytes = this.#receivedBytes;
    this.#send({ do: "read", bytes: this.#receivedBytes });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#idleTimer);
    const isOver = this.readableEnded && this.writableFinished;
    if (!isOver && !this.#hasReset) this.#send({ do: "reset" });
    done(error);
  }

  #takeData(number: number, bytes: string): void {
    if (number !== this.#received + 1) {
      this.destroy(broken());
      return;
    }
    this.#received = number;
    const chunk = Buffer.from(bytes, "latin1");
    this.#receivedBytes += chunk.length;
    // With room in the buffer the window moves on at once; otherwise when the stream calls `_read` again.
    if (this.push(chunk)) this._read();
  }

  #takeEnd(): void {
    this.#hasEnd = true;
    this.push(null);
  }

  /** An end that was closed after all its data is still read to the end. */
  #takeReset(): void {
    this.#hasReset = true;
    if (this.#hasEnd) this.#takeRead(this.#sentBytes);
    else this.destroy(broken());
  }

  #takeRead(bytes: number): void {
    this.#confirmedBytes = Math.max(this.#confirmedBytes, bytes);
    if (this.#sentBytes - this.#confirmedBytes > WINDOW_BYTES) return;
    const blockedWrite = this.#blockedWrite;
    this.#blockedWrite = undefined;
    blockedWrite?.();
  }

  #resetIdleTimer(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = this.#idleMs > 0 ? setTimeout(() => this.emit("timeout"), this.#idleMs).unref() : undefined;
  }
}

/** The key of a tunnel here: two nodes may give the same name, so the boot id is part of it. */
function keyOf({ boot }: Peer, name: string): string {
  return `${boot} ${name}`;
}

function notSent({ node }: Peer): ZaguanError {
  const params = { source: node, reason: "this node does not answer" };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent", retryAfterMs: 1_000 });
}

function broken(): Error {
  return Object.assign(new Error("the connection to another node is lost"), { code: "ECONNRESET" });
}
