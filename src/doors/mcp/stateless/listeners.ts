/**
 * Clients of the stateless revisions that asked to be told of changes: each for as long as it stays. What they hear is
 * marked with the request that they asked by.
 */
import { accountOf } from "../../../core/access.ts";
import type { NotificationSink } from "../../../core/call.ts";
import { Places } from "../../../core/structures/places.ts";
import { ZaguanError } from "../../../errors.ts";
import type { Payload } from "../../../protocol/json/payload.ts";
import { memberOf } from "../../../protocol/json/scan.ts";
import { membersOf, withMember } from "../../../protocol/json/text-edit.ts";
import { encodeNotification, memberText } from "../../../protocol/json-rpc/message.ts";
import { SUBSCRIPTION_ID } from "../../../protocol/mcp/envelope.ts";
import type { Asker, RpcRequest } from "../target.ts";

/** What a client may listen for. */
export interface Filter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
  readonly [extension: string]: unknown;
}

/** Where changes come from. */
export interface Origin {
  /** What of a filter can be honoured; may set something going for it, until the returned function is called. */
  honour(filter: Filter): Promise<{ readonly honoured: Filter; release(): void }>;
  /** Tells of every change; the returned function ends it. */
  onNotification(listener: (method: string, params: Payload) => void): () => void;
}

const RETRY_MS = 30_000;
const LISTS: Readonly<Record<string, keyof Filter>> = {
  "notifications/tools/list_changed": "toolsListChanged",
  "notifications/prompts/list_changed": "promptsListChanged",
  "notifications/resources/list_changed": "resourcesListChanged",
};

export class Listeners {
  readonly #places: Places;
  /** Each ends its listening in good order. */
  readonly #open = new Set<() => void>();

  constructor(limit: () => number) {
    this.#places = new Places(limit);
  }

  get size(): number {
    return this.#open.size;
  }

  /** Answers `subscriptions/listen` when the client leaves, when we go, or at once if there is nothing to listen for. */
  async listen(call: RpcRequest, context: Asker, origin: Origin): Promise<string> {
    const filter = filterOf(call);
    const account = accountOf(context.principal);
    if (!this.#places.hasRoom(account)) throw full(this.#open.size);
    this.#places.take(account);
    const over = Promise.withResolvers<void>();
    this.#open.add(over.resolve);
    context.signal.addEventListener("abort", () => over.resolve(), { once: true });
    const news = new News();
    const stop = origin.onNotification((method, params) => news.tell(method, params));
    try {
      const { honoured, release } = await origin.honour(filter);
      acknowledge(call.id, context, honoured);
      news.begin((method, params) => {
        if (isWanted(honoured, method, params))
          context.notify(encodeNotification(method, withId(params.text, call.id)));
      });
      if (Object.keys(honoured).length > 0 && !context.signal.aborted) await over.promise;
      release();
    } finally {
      stop();
      this.#open.delete(over.resolve);
      this.#places.leave(account);
    }
    return `{"resultType":"complete",${marked(call.id)}}`;
  }

  /** We are going: everybody is told that nothing more will come. */
  close(): void {
    for (const finish of this.#open) finish();
  }
}

/** Nothing may be said before the acknowledgement, and nothing of what happens meanwhile may be lost. */
class News {
  readonly #early: Parameters<NotificationSink>[] = [];
  #tell: NotificationSink = (...change) => void this.#early.push(change);

  tell(method: string, params: Payload): void {
    this.#tell(method, params);
  }

  begin(tell: NotificationSink): void {
    this.#tell = tell;
    for (const change of this.#early.splice(0)) tell(...change);
  }
}

function acknowledge(id: string, context: Asker, honoured: Filter): void {
  const params = `{${marked(id)},"notifications":${JSON.stringify(honoured)}}`;
  context.notify(encodeNotification("notifications/subscriptions/acknowledged", params));
}

/** So many resources one client may listen for; of more, the first are honoured. */
const MOST_URIS = 256;

/** The resources that a client wants to hear of. */
export function wantedUris({ resourceSubscriptions: wanted }: Filter): readonly string[] {
  if (!Array.isArray(wanted)) return [];
  return [...new Set(wanted.filter((uri) => typeof uri === "string"))].slice(0, MOST_URIS);
}

function isWanted(filter: Filter, method: string, params: Payload): boolean {
  const list = LISTS[method];
  if (list !== undefined) return filter[list] === true;
  if (method === "notifications/resources/updated") {
    const uri = (params.value as { uri?: unknown } | null)?.uri;
    return filter.resourceSubscriptions?.includes(String(uri)) ?? false;
  }
  return false;
}

function marked(id: string): string {
  return `"_meta":{"${SUBSCRIPTION_ID}":${id}}`;
}

/** The source's own `_meta` stays; only whose subscription it is, is ours to say. */
function withId(params: string, id: string): string {
  const object = params.startsWith("{") ? params : "{}";
  const meta = memberOf(membersOf(object), "_meta");
  const own = meta?.kind === "object" ? object.slice(meta.start, meta.end) : "{}";
  return withMember(object, "_meta", withMember(own, SUBSCRIPTION_ID, id));
}

function filterOf(call: RpcRequest): Filter {
  const text = memberText(call.text, call.members, "notifications");
  if (text === undefined || memberOf(call.members, "notifications")?.kind !== "object") {
    const reason = "'notifications' must tell what to listen for";
    throw new ZaguanError("INVALID_PARAMS", { params: { reason } });
  }
  return JSON.parse(text) as Filter;
}

function full(open: number): ZaguanError {
  return new ZaguanError("NO_CAPACITY", {
    params: { source: "subscriptions", waiting: open, seconds: RETRY_MS / 1_000 },
    retryAfterMs: RETRY_MS,
  });
}
