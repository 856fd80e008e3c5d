/**
 * Connections between two nodes over the bus: streams of bytes in both directions, as a socket is one. Messages may be lost where
 * NATS was away; a connection that misses one ends as a broken socket does. Nothing of what is written leaves before the other
 * node has said that it is there.
 */
import { Duplex } from "node:stream";
import type { Peer } from "../cluster/peer.ts";
import { ZaguanError } from "../errors.ts";

/** `name` stands for one connection between two runs of nodes; whoever began it has given it. */
export type TunnelMessage =
  | { readonly tunnel: string; readonly do: "open"; readonly about: unknown }
  | { readonly tunnel: string; readonly do: "opened" | "end" | "reset" }
  /** Bytes as the characters of Latin-1; numbers count from 1. */
  | { readonly tunnel: string; readonly do: "data"; readonly number: number; readonly bytes: string }
  /** So many bytes in all were read. */
  | { readonly tunnel: string; readonly do: "read"; readonly bytes: number };

interface TunnelsSetup {
  readonly self: Peer;
  /** False where it certainly did not leave. */
  send(to: Peer, message: TunnelMessage): boolean;
  /** Takes a connection that another node has begun. */
  accept(tunnel: Tunnel, about: unknown): void;
}

/** As much may be under way before the other side has read some of it. */
const WINDOW_BYTES = 524_288;
/** Larger messages would go in parts, which others overtake. */
const MESSAGE_BYTES = 65_536;
const OPEN_MS = 5_000;
const LOOK_MS = 25;

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

  /** @param about tells the other node what it is for; rejects where nothing of it was sent */
  open(peer: Peer, about: unknown): Promise<Tunnel> {
    const name = `${this.#setup.self.boot}.${++this.#count}`;
    const tunnel = this.#make(name, peer);
    const opened = Promise.withResolvers<Tunnel>();
    const timer = setTimeout(() => tunnel.destroy(notSent(peer)), OPEN_MS);
    this.#opening.set(name, { tunnel, opened, timer });
    tunnel.once("close", () => this.#settle(name)?.opened.reject(notSent(peer)));
    if (!this.#setup.send(peer, { tunnel: name, do: "open", about })) tunnel.destroy();
    return opened.promise;
  }

  heard(from: Peer, message: TunnelMessage): void {
    const { tunnel: name } = message;
    const tunnel = this.#tunnels.get(keyOf(from, name));
    if (message.do === "open") this.#accept(from, name, message.about);
    else if (!tunnel) {
      // Whoever waits for it is told; a refusal is not answered.
      if (message.do !== "reset") this.#setup.send(from, { tunnel: name, do: "reset" });
    } else if (message.do === "opened") {
      const opening = this.#settle(name);
      opening?.opened.resolve(tunnel);
    } else tunnel.heard(message);
  }

  /** Nothing will come from this run of a node any more. */
  gone({ boot }: Peer): void {
    for (const tunnel of this.#tunnels.values()) if (tunnel.peer.boot === boot) tunnel.destroy(broken());
  }

  /** Resolves when none is left, or after that time. */
  async idle(mostMs: number): Promise<void> {
    const until = performance.now() + mostMs;
    while (this.size > 0 && performance.now() < until) await new Promise((done) => setTimeout(done, LOOK_MS));
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

type Unnamed<M> = M extends unknown ? Omit<M, "tunnel"> : never;
type OnTunnel = Unnamed<Exclude<TunnelMessage, { do: "open" | "opened" }>>;

/** One end of a connection. It has what Node's HTTP asks of a socket. */
export class Tunnel extends Duplex {
  readonly peer: Peer;
  readonly #send: (message: OnTunnel) => boolean;
  #sent = 0;
  #sentBytes = 0;
  #confirmedBytes = 0;
  #received = 0;
  #receivedBytes = 0;
  #toldBytes = 0;
  #waiting: (() => void) | undefined;
  #hasEnd = false;
  /** The other end takes nothing any more. */
  #hasReset = false;
  #timer: NodeJS.Timeout | undefined;
  #idleMs = 0;

  constructor(peer: Peer, send: (message: OnTunnel) => boolean) {
    super({ allowHalfOpen: true });
    this.peer = peer;
    this.#send = send;
  }

  /** A message of the other end. */
  heard(message: OnTunnel): void {
    this.#live();
    if (message.do === "data") this.#takeData(message.number, message.bytes);
    else if (message.do === "read") this.#takeRead(message.bytes);
    else if (message.do === "end") this.#takeEnd();
    else this.#takeReset();
  }

  /** As of a socket: an event after so long without any traffic. */
  setTimeout(ms: number, listener?: () => void): this {
    this.#idleMs = ms;
    if (listener) this.once("timeout", listener);
    this.#live();
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
    this.#live();
    this.#sentBytes += chunk.length;
    if (this.#hasReset) done();
    else if (!this.#sendAll(chunk)) done(broken());
    else if (this.#sentBytes - this.#confirmedBytes <= WINDOW_BYTES) done();
    else this.#waiting = done;
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
    if (this.#receivedBytes - this.#toldBytes < WINDOW_BYTES / 4) return;
    this.#toldBytes = this.#receivedBytes;
    this.#send({ do: "read", bytes: this.#receivedBytes });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
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
    // Node asks for more at once where it has room; else what was read is told when it does.
    if (this.push(chunk)) this._read();
  }

  #takeEnd(): void {
    this.#hasEnd = true;
    this.push(null);
  }

  /** Whoever has said all before it went is still read to the end. */
  #takeReset(): void {
    this.#hasReset = true;
    if (this.#hasEnd) this.#takeRead(this.#sentBytes);
    else this.destroy(broken());
  }

  #takeRead(bytes: number): void {
    this.#confirmedBytes = Math.max(this.#confirmedBytes, bytes);
    if (this.#sentBytes - this.#confirmedBytes > WINDOW_BYTES) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }

  #live(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#idleMs > 0 ? setTimeout(() => this.emit("timeout"), this.#idleMs).unref() : undefined;
  }
}

/** The name is one of the node that began it: two of them may have the same. */
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
