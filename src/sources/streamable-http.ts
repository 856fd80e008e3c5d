/**
 * An MCP server reached by URL over Streamable HTTP (2025 revisions). A session that the server has forgotten is opened
 * anew without the caller noticing: such a refusal proves that the call did not run.
 */
import { ZaguanError } from "../errors.ts";
import { openStreamableHttp } from "../link/streamable-http.ts";
import type { Payload } from "../protocol/json/payload.ts";
import { McpClient } from "./mcp-client.ts";
import type { ConnectContext, Connection, SourceKind, SourceRequest } from "./source.ts";

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
  void link.closed.then((reason) => client.peer.end(reason));
  const greet = async (greetSignal: AbortSignal): Promise<void> => {
    link.setVersion(await client.initialize(greetSignal));
    client.initialized();
    link.listen();
  };
  try {
    await greet(signal);
  } catch (error) {
    await link.close();
    throw error;
  }
  const renewing = new Renewal((renewSignal) => {
    context.onLog("the server forgot our session: opening another");
    return greet(renewSignal);
  });
  return {
    listTools: (listSignal) => renewing.run(() => client.listTools(listSignal), listSignal),
    request: (request: SourceRequest): Promise<Payload> => renewing.run(() => client.request(request), request.signal),
    closed: link.closed,
    close: () => link.close(),
  };
}

/** Runs work; if the session turns out dead, opens one new session for all who noticed, and runs it once more. */
class Renewal {
  readonly #greet: (signal: AbortSignal) => Promise<void>;
  #renewed: Promise<void> | undefined;

  constructor(greet: (signal: AbortSignal) => Promise<void>) {
    this.#greet = greet;
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ZaguanError) || error.code !== "UNKNOWN_SESSION") throw error;
      this.#renewed ??= this.#greet(signal).finally(() => {
        this.#renewed = undefined;
      });
      await this.#renewed;
      return work();
    }
  }
}
