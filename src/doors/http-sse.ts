/**
 * HTTP+SSE of revision 2024-11-05, to the whole catalogue or to one server: a stream says where to POST, and carries the
 * answers. The session is the stream: it ends with it, and nobody but who opened it can speak in it.
 */
import { randomBytes } from "node:crypto";
import { accountOf } from "../core/access.ts";
import { Places } from "../core/structures/places.ts";
import { ZaguanError } from "../errors.ts";
import { readMessage } from "../protocol/json-rpc/message.ts";
import type { Door, DoorContext, DoorFactory, Exchange, Route } from "./door.ts";
import { EventStream } from "./http/event-stream.ts";
import { notAllowed, queryOf } from "./http/routes.ts";
import { tooManySessions } from "./mcp/sessions.ts";
import { StatelessCodec } from "./mcp/stateless/codec.ts";
import type { McpTarget } from "./mcp/target.ts";
import { Targets } from "./mcp/targets.ts";
import { TwoWay } from "./mcp/two-way.ts";

interface Session {
  readonly principalId: string;
  /** The path where it was opened; a session is unknown at any other. */
  readonly place: string;
  readonly stream: EventStream;
  readonly messages: TwoWay;
}

export const httpSse: DoorFactory = (context) => new HttpSse(context);

class HttpSse implements Door {
  readonly name = "sse";
  readonly routes: Route[] = ["", "/servers/{name}", "/agents/{agent}"].flatMap((place) => [
    { method: "GET", path: `${place}/sse`, needs: "call", handle: (exchange) => this.#open(exchange) },
    { method: "POST", path: `${place}/messages`, needs: "call", handle: (exchange) => this.#post(exchange) },
  ]);
  readonly #context: DoorContext;
  readonly #targets: Targets;
  readonly #stateless: StatelessCodec;
  readonly #sessions = new Map<string, Session>();
  readonly #places = new Places(() => this.#context.limits().sessions);
  #closed = false;

  constructor(context: DoorContext) {
    this.#context = context;
    this.#targets = new Targets({ ...context, door: this.name });
    this.#stateless = new StatelessCodec({
      report: context.report,
      limit: () => context.limits().sessions,
      suspended: context.shared.openSuspended(this.name),
      sessionNodes: context.sessionNodes,
    });
  }

  open(): Readonly<Record<string, number>> {
    return { streams: this.#sessions.size };
  }

  /** What runs still gets its answer; then its stream ends. */
  close(): void {
    this.#closed = true;
    this.#stateless.close();
    for (const { messages, stream } of this.#sessions.values()) void messages.finish().then(() => stream.end());
  }

  #open(exchange: Exchange): Promise<void> | void {
    const { request, response, principal } = exchange;
    if (request.method !== "GET") throw notAllowed(request.method, "GET");
    const successor = this.#context.sessionNodes?.successor();
    if (successor) return successor.forward(exchange);
    const account = accountOf(principal);
    if (this.#closed || !this.#places.hasRoom(account)) throw tooManySessions(this.#sessions.size);
    const target = this.#targets.of(exchange.names["name"]);
    const id = randomBytes(24).toString("base64url") + (this.#context.sessionNodes?.idSuffix ?? "");
    const stream = new EventStream(response);
    const messages = this.#converse(exchange, target, stream);
    const place = placeOf(exchange);
    this.#sessions.set(id, { principalId: principal.id, place, stream, messages });
    this.#places.take(account);
    response.on("close", () => {
      this.#sessions.delete(id);
      this.#places.leave(account);
      messages.close();
    });
    stream.send(`${place}/messages?sessionId=${id}`, "endpoint");
  }

  /** A message without a readable id is refused in the POST itself; everything else is answered on the stream. */
  async #post(exchange: Exchange): Promise<void> {
    const issuer = this.#context.sessionNodes?.issuerOf(sessionIn(exchange));
    if (issuer) return issuer.forward(exchange, await exchange.readBody());
    this.#find(exchange);
    const message = readMessage(await exchange.readBody(), this.#context.limits());
    const { messages } = this.#find(exchange);
    if (message.kind === "reject" && message.id === "null") throw message.error;
    exchange.reply(202, "");
    messages.take(message);
  }

  /** Somebody else's session is answered like one that never was. */
  #find(exchange: Exchange): Session {
    const session = this.#sessions.get(sessionIn(exchange));
    const place = placeOf(exchange);
    if (session?.principalId === exchange.principal.id && session.place === place) return session;
    throw new ZaguanError("UNKNOWN_SESSION", { data: { suggestion: `GET ${place}/sse` } });
  }

  #converse({ principal, language }: Exchange, target: McpTarget, stream: EventStream): TwoWay {
    const { limits, report } = this.#context;
    const write = (message: string): void => stream.send(message);
    const stateless = this.#stateless;
    return new TwoWay({ target, stateless, limits, report, principal, language, write, bareAtFirst: false });
  }
}

function sessionIn({ request }: Exchange): string {
  return queryOf(request.url).get("sessionId") ?? "";
}

/** What the paths of stream and messages have in common. */
function placeOf({ names }: Exchange): string {
  const { name, agent } = names;
  if (agent !== undefined) return `/agents/${encodeURIComponent(agent)}`;
  return name === undefined ? "" : `/servers/${encodeURIComponent(name)}`;
}
