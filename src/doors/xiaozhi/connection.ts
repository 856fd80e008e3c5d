/**
 * One connection to a far end that we dialled and that calls us there: as an endpoint it speaks JSON-RPC at once, as a
 * device only after both have said hello. Frames are answered in the form they came; sound and speech are passed over.
 */
import type { XiaozhiEndpointConfig } from "../../config/types.ts";
import type { Principal } from "../../core/call.ts";
import type { ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { Ending } from "../../link/ending.ts";
import { unavailable } from "../../link/http-failures.ts";
import type { Link } from "../../link/link.ts";
import { openWebSocket } from "../../link/websocket.ts";
import { envelope, readFrame } from "../../protocol/xiaozhi/frames.ts";
import { TwoWay, type TwoWayOptions } from "../mcp/two-way.ts";
import { HELLO, readGreeting, readServerHello } from "./greeting.ts";
import type { XiaozhiPorts } from "./ports.ts";
import { type CloseReason, closeReasonOf } from "./redial.ts";
import { within } from "./time-limit.ts";

/** For the name, the socket and TLS together. */
const DIAL_MS = 20_000;
/** How long a server may take to answer our hello: devices wait as long. */
const HELLO_MS = 10_000;
const NO_HELLO = `it did not answer our hello within ${HELLO_MS / 1_000} s`;
const OTHER_HELLO = "its hello was of another transport, and no other came";
/** Log messages of servers are not sent to a cloud that did not ask for them. */
const LOG_MESSAGE = '{"jsonrpc":"2.0","method":"notifications/message"';

interface ConnectionOptions extends Pick<TwoWayOptions, "target" | "stateless"> {
  readonly endpoint: XiaozhiEndpointConfig;
  readonly headers: Readonly<Record<string, string>>;
  readonly principal: Principal;
  readonly ports: Pick<XiaozhiPorts, "limits" | "clock" | "allowPrivate" | "pingMs" | "report">;
}

export class EndpointConnection {
  readonly #options: ConnectionOptions;
  readonly #messages: TwoWay;
  readonly #link = Promise.withResolvers<Link>();
  readonly #hello = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<CloseReason>();
  #sessionId = "";
  #noHello = NO_HELLO;
  #isGreeted = false;
  #isRelayed = false;
  /** The form of what came last, for what we say unasked. */
  #isEnveloped = false;

  /** Rejects with a ZaguanError, and leaves nothing behind. */
  static async open(options: ConnectionOptions, signal: CancelSignal): Promise<EndpointConnection> {
    const connection = new EndpointConnection(options);
    await connection.#open(signal);
    if (options.endpoint.as === "device") await connection.#sayHello(signal);
    return connection;
  }

  private constructor(options: ConnectionOptions) {
    this.#options = options;
    const { endpoint, principal, target, stateless, ports } = options;
    const { language } = endpoint;
    const { limits, report } = ports;
    this.#messages = new TwoWay({
      target,
      stateless,
      principal,
      language,
      limits,
      report,
      bareAtFirst: false,
      isDevice: () => true,
      write: (message) => this.#say(message),
    });
    this.#hello.promise.catch(() => {});
  }

  /** Resolves, never rejects, when the connection is gone. */
  get gone(): Promise<CloseReason> {
    return this.#gone.promise;
  }

  /** Whether the far end began a conversation. */
  get isGreeted(): boolean {
    return this.#isGreeted;
  }

  /** What runs gets its answer, within the time there is for it; then we say goodbye. */
  async finish(): Promise<void> {
    const { clock, limits } = this.#options.ports;
    const over = Promise.withResolvers<void>();
    const cancel = clock.after(limits().graceMs, over.resolve);
    await Promise.race([this.#messages.finish(), over.promise, this.gone]);
    cancel();
    await this.#hangUp();
  }

  async #open(signal: CancelSignal): Promise<void> {
    const limit = { ms: DIAL_MS, clock: this.#options.ports.clock, late: () => this.#failure("no connection in time") };
    try {
      const link = await within(limit, signal, (both) => this.#dial(both));
      void link.closed.then((ending) => this.#ended(ending));
      this.#link.resolve(link);
    } catch (cause) {
      this.#messages.close();
      throw cause;
    }
  }

  #dial(signal: CancelSignal): Promise<Link> {
    const { endpoint, headers, ports } = this.#options;
    const { url, name } = endpoint;
    const allowPrivate = endpoint.allowPrivate || (ports.allowPrivate ?? false);
    const maxBytes = ports.limits().messageBytes;
    const { pingMs } = ports;
    const onMessage = (text: string): "unasked" => {
      this.#receive(text);
      return "unasked";
    };
    return openWebSocket(
      { url, headers, name, allowPrivate, maxBytes, pingMs, subprotocol: false, signal },
      { onMessage },
    );
  }

  async #sayHello(signal: CancelSignal): Promise<void> {
    const limit = { ms: HELLO_MS, clock: this.#options.ports.clock, late: () => this.#failure(this.#noHello) };
    void this.gone.then(({ reason }) => this.#hello.reject(this.#failure(reason)));
    this.#bare(HELLO);
    try {
      await within(limit, signal, (both) => {
        both.addEventListener("abort", () => this.#hello.reject(both.reason));
        if (both.aborted) this.#hello.reject(both.reason);
        return this.#hello.promise;
      });
    } catch (cause) {
      await this.#hangUp();
      throw cause;
    }
  }

  #receive(text: string): void {
    const frame = readFrame(text, this.#options.ports.limits());
    if (frame.kind === "hello") this.#heardHello(text);
    if (frame.kind !== "mcp" && frame.kind !== "bare") return;
    this.#isEnveloped = frame.kind === "mcp";
    this.#heard(frame.kind === "mcp" ? frame.payload : text, this.#isEnveloped ? this.#inEnvelope : this.#bare);
  }

  #heard(message: string, reply: (message: string) => void): void {
    const greeting = readGreeting(message, this.#options.ports.limits());
    this.#isGreeted ||= greeting !== undefined;
    this.#isRelayed ||= greeting?.isRelayed ?? false;
    this.#messages.receive(greeting?.text ?? message, reply);
  }

  /** Ignores a hello for another transport, as devices do. */
  #heardHello(text: string): void {
    const hello = readServerHello(text);
    this.#sessionId = hello?.sessionId ?? this.#sessionId;
    if (hello) this.#hello.resolve();
    else this.#noHello = OTHER_HELLO;
  }

  /** Sends what answers nothing; not to a relay, which could not tell for which of its robots it is. */
  #say(message: string): void {
    if (this.#isRelayed || message.startsWith(LOG_MESSAGE)) return;
    if (this.#isEnveloped) this.#inEnvelope(message);
    else this.#bare(message);
  }

  readonly #inEnvelope = (message: string): void => this.#bare(envelope(message, this.#sessionId));

  /** Closes the connection where a message cannot be sent, so that the far end notices. */
  readonly #bare = (message: string): void => {
    void this.#link.promise.then((link) => link.send(message).catch(() => link.close()));
  };

  #ended(ending: Ending): void {
    this.#messages.close();
    this.#gone.resolve(closeReasonOf(ending, secretsOf(this.#options.endpoint)));
  }

  async #hangUp(): Promise<void> {
    await (await this.#link.promise).close();
  }

  #failure(reason: string): ZaguanError {
    return unavailable(this.#options.endpoint.name, reason);
  }
}

function secretsOf({ url, token = "" }: XiaozhiEndpointConfig): readonly string[] {
  return [...new URL(url).searchParams.values(), token].filter((secret) => secret !== "");
}
