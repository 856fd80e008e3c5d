/** A kind of source that does what a test tells it, when the test tells it. */

import type { ToolDefinition } from "../../src/core/call.ts";
import type { KindLook } from "../../src/core/events.ts";
import { ZaguanError } from "../../src/errors.ts";
import type { Ending } from "../../src/link/ending.ts";
import { Payload } from "../../src/protocol/json/payload.ts";
import type { ConnectContext, Connection, SourceKind, SourceRequest } from "../../src/sources/source.ts";
import { makeError } from "./make-error.ts";

export class FakeKind implements SourceKind<string> {
  readonly kind = "fake";
  readonly look: KindLook = { title: { en: "fake", es: "fake", fr: "fake", zh: "fake" }, icon: "M0 0h24" };
  readonly concurrency = 3;
  readonly trusted = false;
  /** Every connect so far, in order. */
  readonly attempts: FakeAttempt[] = [];
  readonly #installs: boolean;

  constructor(installs = false) {
    this.#installs = installs;
  }

  mayInstall(): boolean {
    return this.#installs;
  }

  connect(options: string, context: ConnectContext, signal: AbortSignal): Promise<Connection> {
    return new Promise((resolve, reject) => {
      this.attempts.push(new FakeAttempt(options, context, signal, resolve, reject));
    });
  }

  get last(): FakeAttempt {
    const last = this.attempts.at(-1);
    if (!last) throw new Error("nobody has connected yet");
    return last;
  }
}

export class FakeAttempt {
  readonly options: string;
  readonly context: ConnectContext;
  readonly signal: AbortSignal;
  readonly #resolve: (connection: Connection) => void;
  readonly #reject: (error: unknown) => void;
  /** False: the kind goes on although it was told to give up. */
  heedsSignal = true;

  constructor(
    options: string,
    context: ConnectContext,
    signal: AbortSignal,
    resolve: (connection: Connection) => void,
    reject: (error: unknown) => void,
  ) {
    this.options = options;
    this.context = context;
    this.signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener("abort", () => {
      if (this.heedsSignal) reject(new Error("gave up"));
    });
  }

  succeed(): FakeConnection {
    const connection = new FakeConnection();
    this.#resolve(connection);
    return connection;
  }

  fail(reason: string): void {
    this.#reject(new ZaguanError("SOURCE_UNAVAILABLE", { params: { source: "s", reason }, delivery: "not_sent" }));
  }

  failWith(error: unknown): void {
    this.#reject(error);
  }
}

export class FakeConnection implements Connection {
  readonly requests: SourceRequest[] = [];
  readonly closed: Promise<Ending>;
  closes = 0;
  /** Set to make `close` take its time. */
  cleanup: Promise<void> = Promise.resolve();
  #end: (ending: Ending) => void = () => {};

  constructor() {
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  die(reason: string): void {
    this.#end({ kind: "exited", reason });
  }

  async listTools(): Promise<readonly ToolDefinition[]> {
    return [{ name: "tool", inputSchema: {} }];
  }

  async request(request: SourceRequest): Promise<Payload> {
    this.requests.push(request);
    if (request.name === "fails") throw makeError("OUTCOME_UNKNOWN", { delivery: "unknown" });
    return Payload.ofText('"done"');
  }

  async close(): Promise<void> {
    this.closes += 1;
    await this.cleanup;
    this.#end({ kind: "ours", reason: "stopped" });
  }
}
