/**
 * An MCP server at the other end of a pipe: a child process or a socket, where one text follows the other and nothing
 * says to which request it belongs. Which era the server is of is found on the pipe itself, since a second process would
 * cost as much as the first.
 */
import { ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import { type Ending, unfit } from "../../link/ending.ts";
import { type Link, type LinkHandlers, TAKEN } from "../../link/link.ts";
import { NoiseLimit } from "../noise-limit.ts";
import type { ConnectContext, Connection } from "../source.ts";
import { Conversation, connectionOf, type EraClient } from "./conversation.ts";
import type { EraMemory } from "./era-memory.ts";
import { Greeting } from "./greeting.ts";
import type { HandshakeClient } from "./handshake-client.ts";

interface PipeOptions {
  open(handlers: LinkHandlers): Promise<Link>;
  readonly memory: EraMemory;
  /** False for pipes that only the older era knows. */
  readonly asksForEra: boolean;
  /** The revision that is configured: the server is not asked for its era. */
  readonly revision?: string | undefined;
  /** What we say that we can do, besides the usual. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
}

export async function connectPipe(
  options: PipeOptions,
  context: ConnectContext,
  signal: CancelSignal,
): Promise<Connection> {
  const first = await Pipe.open(options, context);
  try {
    return await first.greet(options.asksForEra, signal);
  } catch (error) {
    if (!first.endedOfTheQuestion || signal.aborted) throw error;
  }
  options.memory.suspectHandshake(context.clock);
  const second = await Pipe.open(options, context);
  return await second.greet(false, signal);
}

class Pipe {
  /** Some servers end when they are asked anything before the handshake. */
  endedOfTheQuestion = false;
  readonly #context: ConnectContext;
  readonly #link: Link;
  readonly #noise: NoiseLimit;
  readonly #greeting: Greeting;
  readonly #closed = Promise.withResolvers<Ending>();

  static async open(options: PipeOptions, context: ConnectContext): Promise<Pipe> {
    let link: Link | undefined;
    const noise = new NoiseLimit(context, () => void link?.close());
    const conversation = new Conversation(context, (message, signal) => {
      // Some links hand out messages before they are open; who answers them at once is too early.
      const sending = link ? link.send(message, signal) : Promise.reject(notOpen(context.name));
      return sending === TAKEN ? undefined : sending;
    });
    conversation.onNoise = (line) => noise.add(line);
    conversation.revision = options.revision;
    link = await options.open({
      onMessage: (message) => conversation.peer.receive(message),
      onTooLarge: (message) => conversation.peer.passOver(message),
      onNoise: (line) => noise.add(line),
    });
    return new Pipe(conversation, link, noise, options);
  }

  private constructor(conversation: Conversation, link: Link, noise: NoiseLimit, options: PipeOptions) {
    const { memory, capabilities } = options;
    this.#context = conversation.context;
    this.#link = link;
    this.#noise = noise;
    this.#greeting = new Greeting(conversation, {
      memory,
      overHttp: false,
      revision: options.revision,
      // An answer of any kind does; the end of the pipe is none.
      leadsOn: ({ code }) => code === "SOURCE_ERROR" || code === "ANSWER_TOO_LARGE",
      handshake: (client: HandshakeClient, signal) => client.initialize(signal, capabilities),
      onUnfit: (reason) => this.#closed.resolve(unfit(reason)),
    });
    void link.closed.then((ending) => {
      conversation.client?.end();
      conversation.peer.end(ending.reason);
      this.#closed.resolve(noise.ending(ending));
    });
  }

  async greet(asksForEra: boolean, signal: CancelSignal): Promise<Connection> {
    let client: EraClient;
    try {
      client = await (asksForEra ? this.#greeting.greet(signal) : this.#greeting.shakeHands(signal));
    } catch (error) {
      throw await this.#clearAway(error);
    }
    await client.begin();
    return connectionOf(client, { closed: this.#closed.promise, close: () => this.#link.close() });
  }

  /** A server that ended by itself says more about the failure than the greeting that it broke off. */
  async #clearAway(error: unknown): Promise<unknown> {
    await this.#link.close();
    const ending = await this.#link.closed;
    const told = this.#noise.ending(ending);
    if (told.kind === "ours") return error;
    this.endedOfTheQuestion = this.#greeting.hasAsked && ending.kind !== "ours";
    const { reason, words } = told;
    const params = { source: this.#context.name, reason };
    return new ZaguanError("SOURCE_UNAVAILABLE", { params, words, delivery: "not_sent", cause: error });
  }
}

function notOpen(source: string): ZaguanError {
  return new ZaguanError("SOURCE_UNAVAILABLE", { params: { source, reason: "not open yet" } });
}
