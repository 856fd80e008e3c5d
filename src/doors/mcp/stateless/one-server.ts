/** One server at its own address, for clients of the stateless revisions, whichever era the server itself is of. */
import { ZaguanError } from "../../../errors.ts";
import { Payload } from "../../../protocol/json/payload.ts";
import { memberString } from "../../../protocol/json-rpc/message.ts";
import { SERVER_INFO } from "../../../protocol/mcp/envelope.ts";
import { discoverResult, type ServerFace } from "../../../protocol/mcp/face.ts";
import { ASKING_METHODS } from "../../../protocol/mcp/input-required.ts";
import { CACHEABLE, cacheable, type Marks, stampResult } from "../../../protocol/mcp/stamp.ts";
import { SUPPORTED_VERSIONS } from "../../../protocol/mcp/versions.ts";
import { argumentsOf, notByCaller } from "../conversation.ts";
import type { Asking, OneServer } from "../one-server.ts";
import type { StatelessContext, StatelessFace, StatelessRequest } from "./face.ts";
import { type Filter, type Listeners, type Origin, wantedUris } from "./listeners.ts";
import { checkParamHeaders } from "./param-headers.ts";
import { type Begin, callerOf, type Suspensions } from "./suspensions.ts";

/** Shared by the requests of all clients to all servers. */
export interface ServerMemory {
  readonly listeners: Listeners;
  readonly suspensions: Suspensions;
}

/** What has gone from the protocol, or was never asked of a server in this revision. */
const GONE: ReadonlySet<string> = new Set([
  "initialize",
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
]);
/** A server that was changed says so to those who listen; others look again soon. */
const DISCOVERY_TTL_MS = 60_000;

export class StatelessServer implements StatelessFace {
  readonly untouched = true;
  readonly #memory: ServerMemory;
  readonly #server: OneServer;

  constructor(server: OneServer, memory: ServerMemory) {
    this.#memory = memory;
    this.#server = server;
  }

  async answer(call: StatelessRequest, context: StatelessContext): Promise<string> {
    if (GONE.has(call.method)) throw unknownMethod(call.method);
    const face = await this.#server.face(context.signal, context.principal);
    if (call.method === "server/discover") {
      const { text } = discoverResult(face, SUPPORTED_VERSIONS, DISCOVERY_TTL_MS);
      return stampResult(text, cacheable(DISCOVERY_TTL_MS));
    }
    if (call.method === "subscriptions/listen") {
      return this.#memory.listeners.listen(call, context, this.#origin(call, context, face));
    }
    try {
      return stampResult(await this.#respond(call, context), marksFor(call.method, face));
    } catch (cause) {
      throw context.signal.aborted ? cause : notByCaller(cause);
    }
  }

  close(): void {
    this.#memory.listeners.close();
    this.#memory.suspensions.close();
  }

  async #respond(call: StatelessRequest, context: StatelessContext): Promise<string> {
    const { principal, header } = context;
    if (call.method === "tools/call") {
      const tool = this.#server.findTool(principal, memberString(call.text, call.members, "name") ?? "");
      checkParamHeaders(tool, argumentsOf(call), header);
    }
    if (ASKING_METHODS.has(call.method)) return this.#ask(call, context);
    const isList = call.method === "tools/list";
    const asking = { ...context, caller: isList ? callerOf(call, context) : undefined };
    return (await (isList ? this.#server.listTools(call, asking) : this.#server.pass(call, asking))).text;
  }

  #ask(call: StatelessRequest, { principal, language, ...context }: StatelessContext): Promise<string> {
    const begin: Begin = (caller, signal, notify) => {
      const asking: Asking = { principal, language, signal, caller, notify };
      return call.method === "tools/call" ? this.#server.callTool(call, asking) : this.#server.pass(call, asking);
    };
    return this.#memory.suspensions.carry(call, { principal, language, ...context }, begin, this.#server.source);
  }

  #origin(call: StatelessRequest, context: StatelessContext, face: ServerFace): Origin {
    return {
      honour: async (filter) => {
        const asking = { ...context, caller: callerOf(call, context) };
        const uris = await this.#subscribe(call, asking, filter, face);
        const honoured = { ...listsHonoured(filter, face), ...(uris.length > 0 && { resourceSubscriptions: uris }) };
        return { honoured, release: () => this.#unsubscribe(uris, asking) };
      },
      onNotification: (listener) => this.#server.onNotification(listener),
    };
  }

  /** Those that the server lets us subscribe to. */
  async #subscribe(call: StatelessRequest, asking: Asking, filter: Filter, face: ServerFace) {
    const uris = isSet(face.capabilities["resources"], "subscribe") ? wantedUris(filter) : [];
    const done = await Promise.allSettled(
      uris.map((uri) => this.#server.subscribe({ ...call, params: Payload.ofValue({ uri }) }, asking, uri)),
    );
    return uris.filter((_, index) => done[index]?.status === "fulfilled");
  }

  #unsubscribe(uris: readonly string[], asking: Asking): void {
    for (const uri of uris) this.#server.unsubscribe(uri, asking).catch(() => {});
  }
}

function listsHonoured(filter: Filter, { capabilities }: ServerFace): Filter {
  const lists = { toolsListChanged: "tools", promptsListChanged: "prompts", resourcesListChanged: "resources" };
  const honoured = Object.entries(lists).filter(([key, capability]) => {
    return filter[key] === true && isSet(capabilities[capability], "listChanged");
  });
  return Object.fromEntries(honoured.map(([key]) => [key, true]));
}

function isSet(capability: unknown, key: string): boolean {
  return (capability as Readonly<Record<string, unknown>> | undefined)?.[key] === true;
}

function marksFor(method: string, { serverInfo }: ServerFace): Marks {
  return {
    ...(CACHEABLE.has(method) && cacheable(0)),
    ...(serverInfo && { _meta: JSON.stringify({ [SERVER_INFO]: serverInfo }) }),
  };
}

function unknownMethod(method: string): ZaguanError {
  return new ZaguanError("UNKNOWN_METHOD", { params: { method: method.slice(0, 100) } });
}
