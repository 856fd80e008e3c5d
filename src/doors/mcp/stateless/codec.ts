/**
 * The codec of the stateless revisions (2026-07-28), on whatever carries them: every request introduces its client and
 * stands for itself. What must outlive a request is kept here for all targets of a door: who listens for changes, and
 * calls that wait for their client to come again.
 */
import type { ZaguanError } from "../../../errors.ts";
import type { Language } from "../../../messages/catalogue.ts";
import { Payload } from "../../../protocol/json/payload.ts";
import { encodeError, encodeErrorText, memberString } from "../../../protocol/json-rpc/message.ts";
import { REFUSED_BY_HUB, SERVER_INFO } from "../../../protocol/mcp/envelope.ts";
import { discoverResult, type ServerFace } from "../../../protocol/mcp/face.ts";
import { CACHEABLE, cacheable, type Marks, stampResult } from "../../../protocol/mcp/stamp.ts";
import { SUPPORTED_VERSIONS } from "../../../protocol/mcp/versions.ts";
import { errorResult, notByCaller, tellable, unknownMethod } from "../failure.ts";
import { SELF } from "../self.ts";
import type { Asker, McpTarget, RpcRequest, Subscription } from "../target.ts";
import { argumentsOf } from "../tool-call.ts";
import { modernError, untouchedModernError } from "./failure.ts";
import { type Filter, Listeners, type Origin, wantedUris } from "./listeners.ts";
import { checkParamHeaders } from "./param-headers.ts";
import { StatelessCaller } from "./stateless-caller.ts";
import { type Begin, Suspensions, type SuspensionsSetup } from "./suspensions.ts";

/** `limit`: how many may listen, and how many calls may wait for their client. */
interface StatelessOptions extends SuspensionsSetup {
  report(cause: unknown): string;
}

/** What belongs to one request. */
interface StatelessContext extends Asker {
  readonly caller?: undefined;
  /** Where the carrier has headers: what a tool wants repeated there is checked. */
  readonly header?: (name: string) => string | undefined;
}

interface Outcome {
  /** The whole message. */
  readonly text: string;
  /** Undefined if it is a result. */
  readonly error: ZaguanError | undefined;
}

/** One request with all that is known of it. */
interface Asked {
  readonly target: McpTarget;
  readonly call: RpcRequest;
  readonly context: StatelessContext;
  readonly face: ServerFace;
}

/** Resolves with the text of the result. */
type Method = (this: StatelessCodec, asked: Asked) => Promise<string> | string;

/** A server that was changed says so to those who listen; others look again soon. */
const DISCOVERY_TTL_MS = 60_000;
/** Tools come and go at any moment, and few clients listen: a kept list would soon be a wrong one. */
const LIST_TTL_MS = 0;

export class StatelessCodec {
  readonly #options: StatelessOptions;
  readonly #listeners: Listeners;
  readonly #suspensions: Suspensions;

  constructor(options: StatelessOptions) {
    this.#options = options;
    this.#listeners = new Listeners(() => options.limit());
    this.#suspensions = new Suspensions(options);
  }

  /** How many clients listen for changes. */
  get listening(): number {
    return this.#listeners.size;
  }

  /** Never rejects, even if there is no target. `subscriptions/listen` may take as long as its client stays. */
  async answer(find: () => McpTarget, call: RpcRequest, context: StatelessContext): Promise<Outcome> {
    let target: McpTarget | undefined;
    try {
      target = find();
      if (GONE.has(call.method)) throw unknownMethod(call.method);
      const face = target.faceNow(context) ?? (await target.face(context));
      const result = await (METHODS[call.method] ?? passOn).call(this, { target, call, context, face });
      return succeeded(call.id, stampResult(result, marksFor(call.method, face)));
    } catch (cause) {
      const error = tellable(context.signal.aborted ? cause : notByCaller(cause), this.#options.report);
      // The model is to see what was wrong with its arguments.
      if (error.code !== "INVALID_ARGUMENT") return this.failed(call.id, error, context.language, target?.verbatim);
      return succeeded(call.id, stampResult(errorResult(error, context.language).text, refusedMeta(error)));
    }
  }

  failed(id: string, error: ZaguanError, language: Language, verbatim = false): Outcome {
    const own = verbatim ? untouchedModernError(error) : undefined;
    const text = own === undefined ? encodeError(id, modernError(error, language)) : encodeErrorText(id, own);
    return { text, error };
  }

  /** Those who listen are told that nothing more will come; calls that wait for their client end. */
  close(): void {
    this.#listeners.close();
    this.#suspensions.close();
  }

  discover({ face }: Asked): string {
    const { text } = discoverResult(face, SUPPORTED_VERSIONS, DISCOVERY_TTL_MS);
    return stampResult(text, cacheable(DISCOVERY_TTL_MS));
  }

  async listTools({ target, call, context }: Asked): Promise<string> {
    return (await target.listTools(call, introduced(call, context))).text;
  }

  callTool(asked: Asked): Promise<string> {
    const { target, call, context } = asked;
    const { principal, header } = context;
    const args = argumentsOf(call);
    if (header) {
      const tool = target.findTool(principal, memberString(call.text, call.members, "name") ?? "");
      checkParamHeaders(tool, args, header);
    }
    return this.#ask(asked, (by) => target.callTool(call, by));
  }

  /** A request in the middle of which the source may ask back. */
  ask(asked: Asked): Promise<string> {
    const { target, call } = asked;
    return this.#ask(asked, (by) => target.request(call, by));
  }

  async passOn({ target, call, context }: Asked): Promise<string> {
    return (await target.request(call, introduced(call, context))).text;
  }

  listen({ target, call, context, face }: Asked): Promise<string> {
    const origin: Origin = {
      honour: async (filter) => {
        const subscriptions = await subscribeAll(target, call, introduced(call, context), filter, face);
        const uris = [...subscriptions.keys()];
        const release = (): void => {
          for (const subscription of subscriptions.values()) subscription.end().catch(() => {});
        };
        const honoured = { ...listsHonoured(filter, face), ...(uris.length > 0 && { resourceSubscriptions: uris }) };
        return { honoured, release };
      },
      onNotification: (listener) => target.watch(listener),
    };
    return this.#listeners.listen(call, context, origin);
  }

  #ask({ target, call, context }: Asked, work: (by: Asker) => Promise<Payload>): Promise<string> {
    const { principal, language } = context;
    const begin: Begin = (caller, signal, notify) => work({ principal, language, signal, caller, notify });
    return this.#suspensions.carry(call, context, begin, target.scope);
  }
}

const { discover, listen, listTools, callTool, ask, passOn } = StatelessCodec.prototype;

/** Every other method is asked of the target, which knows what it can answer. */
const METHODS: Readonly<Record<string, Method>> = Object.assign(Object.create(null), {
  "server/discover": discover,
  "subscriptions/listen": listen,
  "tools/list": listTools,
  "tools/call": callTool,
  "prompts/get": ask,
  "resources/read": ask,
});

/** What has gone from the protocol, or was never asked of a server in this revision. */
const GONE: ReadonlySet<string> = new Set([
  "initialize",
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
]);

function introduced(call: RpcRequest, context: StatelessContext): Asker {
  const { principal, language, signal, notify } = context;
  return { principal, language, signal, notify, caller: StatelessCaller.of(call, principal.id) };
}

/** Those resources that the target lets us subscribe to. */
async function subscribeAll(target: McpTarget, call: RpcRequest, by: Asker, filter: Filter, face: ServerFace) {
  const uris = isSet(face.capabilities["resources"], "subscribe") ? wantedUris(filter) : [];
  const about = (uri: string): RpcRequest => ({ ...call, params: Payload.ofValue({ uri }) });
  const done = await Promise.allSettled(uris.map((uri) => target.subscribe(uri, about(uri), by)));
  const subscribed = new Map<string, Subscription>();
  for (const [index, each] of done.entries()) {
    if (each.status === "fulfilled") subscribed.set(uris[index] as string, each.value);
  }
  return subscribed;
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

/** By face, which stays the same object while a source is up: the marks of results that may be kept, and of others. */
const marks = new WeakMap<ServerFace, { readonly kept: Marks; readonly others: Marks }>();

/** What a result must tell: who answered, and how long it may be kept. */
function marksFor(method: string, face: ServerFace): Marks {
  let known = marks.get(face);
  if (!known) {
    const others: Marks = face.serverInfo ? { _meta: JSON.stringify({ [SERVER_INFO]: face.serverInfo }) } : {};
    known = { kept: { ...cacheable(LIST_TTL_MS), ...others }, others };
    marks.set(face, known);
  }
  return CACHEABLE.has(method) ? known.kept : known.others;
}

/** No tool said this: who shows results to people can tell, by the same code as in errors. */
function refusedMeta({ code }: ZaguanError): Marks {
  return { _meta: JSON.stringify({ [SERVER_INFO]: SELF, [REFUSED_BY_HUB]: { code } }) };
}

function succeeded(id: string, result: string): Outcome {
  return { text: `{"jsonrpc":"2.0","id":${id},"result":${result}}`, error: undefined };
}
