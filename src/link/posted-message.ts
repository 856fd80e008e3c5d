/**
 * One message POSTed to an endpoint whose answers come over another stream. Any 2xx accepts it, with whatever decoration
 * in its body; but some servers answer right there, so JSON in it is taken for messages.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { ZaguanError } from "../errors.ts";
import { mediaType } from "./http-body.ts";
import type { AnswerReader, Cuttable, Failure } from "./http-exchange.ts";
import { Enough } from "./http-failures.ts";
import type { LinkHandlers } from "./link.ts";
import { PostAnswer } from "./post-answer.ts";

interface PostedMessageOptions {
  readonly name: string;
  readonly maxBytes: number;
  readonly handlers: LinkHandlers;
  /** The message itself. */
  readonly sent: string;
}

/** An answer that ends by itself leaves a connection that can be used again. */
const LINGER_MS = 1000;

export class PostedMessage implements AnswerReader {
  readonly #answer: PostAnswer;
  readonly #over = Promise.withResolvers<ZaguanError | undefined>();
  #carriesMessages = false;
  #surplus: NodeJS.Timeout | undefined;

  constructor(options: PostedMessageOptions) {
    const { name, maxBytes, handlers, sent } = options;
    const posted = { message: sent, opensSession: false, session: undefined, isStateless: false, signal: undefined };
    this.#answer = new PostAnswer(posted, {
      name,
      maxBytes,
      onNoise: ignore,
      onAccepted: ignore,
      onRefused: ignore,
      onMessage: (text) => holdsObject(text) && handlers.onMessage(text),
      isAnswered: () => false,
      onOver: (_posted, error) => this.#over.resolve(error),
    });
  }

  /** Resolves with the head of a good answer, or with the end of one that carries messages; rejects with a ZaguanError. */
  async accepted(): Promise<void> {
    await this.#answer.acceptance;
    const error = this.#carriesMessages ? await this.#over.promise : undefined;
    if (error) throw error;
  }

  onHead(status: number, headers: IncomingHttpHeaders, exchange: Cuttable): void {
    this.#carriesMessages = status < 300 && mediaType(headers) === "application/json";
    if (status >= 300) this.#answer.onHead(status, headers);
    else if (this.#carriesMessages) this.#answer.onHead(200, headers);
    else {
      this.#surplus = setTimeout(() => exchange.cut(new Enough("accepted")), LINGER_MS);
      this.#answer.onHead(202, {});
    }
  }

  onData(chunk: Uint8Array, exchange: Cuttable): void {
    this.#answer.onData(chunk, exchange);
  }

  onEnd(failure: Failure | undefined): void {
    clearTimeout(this.#surplus);
    this.#answer.onEnd(failure);
  }
}

function ignore(): void {}

/** `"Accepted"`, `null` and `{}` are courtesies, not messages. */
function holdsObject(text: string): boolean {
  return /^\s*\{\s*[^\s}]/.test(text);
}
