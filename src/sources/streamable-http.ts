/**
 * An MCP server reached by URL over Streamable HTTP (2025 revisions). A session that the server has forgotten is opened
 * anew without the caller noticing: such a refusal proves that the call did not run.
 */
import { ZaguanError } from "../errors.ts";
import { openStreamableHttp } from "../link/streamable-http.ts";
import type { Payload } from "../protocol/json/payload.ts";
import { McpClient } from "./mcp-client.ts";
import type { ConnectContext, Connection, SourceKind, SourceRequest } from "./source.ts";
import { abortError } from "./waiters.ts";

export interface StreamableHttpOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowPrivate: boolean;
  /** The largest answer or event that is read. */
  readonly maxBytes: number;
}

export const streamableHttp: SourceKind<StreamableHttpOptions> = {
  kind: "http",
  concurrency: 64,
  trusted: false,
  connect,
};

const IDLE_MS = 300_000;
const RENEWAL_MS = 10_000;

async function connect(
  options: StreamableHttpOptions,
  context: ConnectContext,
  signal: AbortSignal,
): Promise<Connection> {
  const client = new McpClient(context, (message, messageSignal) => link.send(message, messageSignal));
  const link = await openStreamableHttp(
    { ...options, name: context.name, idleMs: IDLE_MS },
    {
      onMessage: (message) => client.peer.receive(message),
      onAnswerEnded: (sent, error) => client.peer.answerEnded(sent, error),
      isPending: (sent) => client.peer.isPending(sent),
    },
  );
  const greet = async (greetSignal: AbortSignal): Promise<void> => {
    link.setVersion(await client.initialize(greetSignal));
    client.initialized();
    link.listen();
  };
  const renewing = new Renewal(greet, context);
  void link.closed.then(async (reason) => {
    renewing.end(reason);
    // The link tells every request its own fate; only then is there nothing left to say but that it is over.
    await link.close();
    client.peer.end(reason);
  });
  try {
    await greet(signal);
  } catch (error) {
    await link.close();
    throw error;
  }
  return {
    listTools: (listSignal) => renewing.run(() => client.listTools(listSignal), listSignal),
    request: (request: SourceRequest): Promise<Payload> => renewing.run(() => client.request(request), request.signal),
    greeting: client.greeting,
    closed: link.closed,
    close: () => {
      renewing.end("closed");
      return link.close();
    },
  };
}

/** Runs work; if the session turns out dead, opens one new session for all who noticed, and runs it once more. */
class Renewal {
  readonly #greet: (signal: AbortSignal) => Promise<void>;
  readonly #context: ConnectContext;
  readonly #end = new AbortController();
  #renewed: Promise<void> | undefined;
  /** How many renewals succeeded. */
  #count = 0;

  constructor(greet: (signal: AbortSignal) => Promise<void>, context: ConnectContext) {
    this.#greet = greet;
    this.#context = context;
  }

  /** The connection is over, and what is being renewed with it. */
  end(reason: string): void {
    this.#end.abort(this.#unavailable(reason));
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const countBefore = this.#count;
    try {
      return await work();
    } catch (error) {
      if (!isUnknownSession(error)) throw error;
    }
    // A refusal that comes late may be of a session that others have renewed already.
    if (this.#count === countBefore) await until(this.#renew(), signal);
    try {
      return await work();
    } catch (error) {
      throw isUnknownSession(error) ? this.#forgetful(error) : error;
    }
  }

  #renew(): Promise<void> {
    this.#renewed ??= this.#open().finally(() => {
      this.#renewed = undefined;
    });
    return this.#renewed;
  }

  /** Belongs to no caller: whoever asked first may leave, and the others still want it. */
  async #open(): Promise<void> {
    this.#context.onLog("the server forgot our session: opening another");
    const late = new AbortController();
    const stop = this.#context.clock.after(RENEWAL_MS, () =>
      late.abort(this.#unavailable(`it opened no new session within ${RENEWAL_MS / 1000} s`)),
    );
    try {
      await this.#greet(AbortSignal.any([this.#end.signal, late.signal]));
      this.#count++;
    } catch (error) {
      throw this.#unrenewed(error);
    } finally {
      stop();
    }
  }

  /** Whatever became of the handshake: the calls that wait for it have not run. */
  #unrenewed(error: unknown): ZaguanError {
    const isFit = error instanceof ZaguanError && error.code === "SOURCE_UNAVAILABLE" && error.delivery === "not_sent";
    return isFit ? error : this.#unavailable("it forgot our session and opened no other", error);
  }

  /** A session of ours is no business of our callers, who have sessions of their own with us. */
  #forgetful(cause: unknown): ZaguanError {
    const params = { source: this.#context.name, reason: "it keeps forgetting our session" };
    return new ZaguanError("SOURCE_ERROR", { params, delivery: "not_sent", cause });
  }

  #unavailable(reason: string, cause?: unknown): ZaguanError {
    const params = { source: this.#context.name, reason };
    return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent", cause });
  }
}

function isUnknownSession(error: unknown): boolean {
  return error instanceof ZaguanError && error.code === "UNKNOWN_SESSION";
}

/** Waits for what is common to many, but not longer than the one who waits. */
function until(common: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortError(signal));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    common.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
