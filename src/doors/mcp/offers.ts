/**
 * Prompts and resources of the whole catalogue, as conversations of either era ask for them: lists in pages, and requests
 * that go on to whichever source they concern.
 */
import type { Caller, Principal } from "../../core/call.ts";
import type { AskRequest, Definition, OfferKind, OffersGateway } from "../../core/offers.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { memberString, type RpcCall } from "../../protocol/json-rpc/message.ts";
import type { Asking } from "./one-server.ts";
import { notificationSink, progressSink } from "./progress.ts";
import { HTTP_PAGE_CHARS, pageOf } from "./tool-pages.ts";

/** What each list is called, and by what its members are told apart. */
const LISTS: Readonly<Record<string, { readonly kind: OfferKind; readonly key: string }>> = Object.assign(
  Object.create(null),
  {
    "prompts/list": { kind: "prompts", key: "name" },
    "resources/list": { kind: "resources", key: "uri" },
    "resources/templates/list": { kind: "resourceTemplates", key: "uriTemplate" },
  },
);
const ASKED: ReadonlySet<string> = new Set([
  "prompts/get",
  "resources/read",
  "completion/complete",
  "tasks/get",
  "tasks/update",
  "tasks/cancel",
]);

export class OffersDesk {
  readonly #offers: OffersGateway;
  readonly #door: string;

  constructor(offers: OffersGateway, door: string) {
    this.#offers = offers;
    this.#door = door;
  }

  join(client: Caller, principal: Principal): () => void {
    return this.#offers.join(client, principal);
  }

  /** Undefined if the method is about something else. */
  answer(call: RpcCall, asking: Asking): Promise<Payload> | undefined {
    const list = LISTS[call.method];
    if (list) return this.#list(call, asking, list.kind, list.key);
    return ASKED.has(call.method) ? this.#ask(call, asking) : undefined;
  }

  async subscribe(call: RpcCall, asking: Asking): Promise<Payload> {
    await this.#offers.ready();
    return this.#offers.subscribe(this.#request(call, asking, "resources/subscribe"));
  }

  unsubscribe(call: RpcCall, asking: Asking): Promise<Payload> {
    return this.#offers.unsubscribe(this.#request(call, asking, "resources/unsubscribe"));
  }

  async #ask(call: RpcCall, asking: Asking): Promise<Payload> {
    await this.#offers.ready();
    return this.#offers.ask(this.#request(call, asking));
  }

  async #list(call: RpcCall, asking: Asking, kind: OfferKind, key: string): Promise<Payload> {
    await this.#offers.ready();
    const all = await this.#offers.listFor(kind, this.#request(call, asking));
    const cursor = memberString(call.text, call.members, "cursor");
    const nameOf = (one: Definition): string => String(one[key]);
    return pageOf({ key: kind, items: all, nameOf, textOf: (one) => JSON.stringify(one) }, cursor, HTTP_PAGE_CHARS);
  }

  #request(call: RpcCall, asking: Asking, method: string = call.method): AskRequest {
    const { principal, language, signal, caller, notify, manner } = asking;
    const told = { onProgress: progressSink(call, notify), onNotification: notificationSink(notify) };
    return { method, params: call.params, principal, language, signal, caller, door: this.#door, ...told, ...manner };
  }
}
