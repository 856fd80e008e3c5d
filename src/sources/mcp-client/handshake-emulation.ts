/** What clients of the older revisions say and the stateless ones have no word for, done with what these have instead. */
import { ZaguanError } from "../../errors.ts";
import { EMPTY_OBJECT, type Payload } from "../../protocol/json/payload.ts";
import { isLogLevel } from "../../protocol/mcp/client-capabilities.ts";
import { UNKNOWN_METHOD } from "../../protocol/mcp/versions.ts";
import type { SourceRequest } from "../source.ts";
import type { Listening } from "./listening.ts";

const INVALID_PARAMS = -32602;

export class HandshakeEmulation {
  readonly #source: string;
  readonly #capabilities: Readonly<Record<string, unknown>>;
  readonly #listening: Listening;

  constructor(source: string, capabilities: Readonly<Record<string, unknown>>, listening: Listening) {
    this.#source = source;
    this.#capabilities = capabilities;
    this.#listening = listening;
  }

  /** Undefined if the request is none of these. */
  translate(request: SourceRequest): Promise<Payload> | undefined {
    switch (request.method) {
      case "ping":
        return Promise.resolve(EMPTY_OBJECT);
      case "logging/setLevel":
        return this.#setLevel(request);
      case "resources/subscribe":
        return this.#subscribe(request);
      case "resources/unsubscribe":
        return this.#unsubscribe(request);
      default:
        return undefined;
    }
  }

  /** The level goes along with every request of a client that named one. */
  async #setLevel(request: SourceRequest): Promise<Payload> {
    if (!this.#capabilities["logging"]) throw this.#refusal(UNKNOWN_METHOD, "Method not found: logging/setLevel");
    if (!isLogLevel(memberOf(request, "level"))) throw this.#refusal(INVALID_PARAMS, "Invalid log level");
    return EMPTY_OBJECT;
  }

  async #subscribe(request: SourceRequest): Promise<Payload> {
    await this.#listening.subscribe(this.#uriOf(request), request.signal);
    return EMPTY_OBJECT;
  }

  async #unsubscribe(request: SourceRequest): Promise<Payload> {
    await this.#listening.unsubscribe(this.#uriOf(request), request.signal);
    return EMPTY_OBJECT;
  }

  #uriOf(request: SourceRequest): string {
    const uri = memberOf(request, "uri");
    if (typeof uri === "string") return uri;
    throw this.#refusal(INVALID_PARAMS, "Invalid params: uri is missing");
  }

  /** As the server itself would say it, had it known the word. */
  #refusal(code: number, message: string): ZaguanError {
    const params = { source: this.#source, reason: message };
    return new ZaguanError("SOURCE_ERROR", { params, delivery: "not_sent", relayed: { code, message } });
  }
}

function memberOf({ params }: SourceRequest, key: string): unknown {
  return (params?.value as Readonly<Record<string, unknown>> | null | undefined)?.[key];
}
