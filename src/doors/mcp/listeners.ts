/**
 * Clients of the stateless revisions that asked to be told of changes: one stream each, for as long as they stay. For
 * now they can hear of tools.
 */
import type { Gateway } from "../../core/gateway-contract.ts";
import { ZaguanError } from "../../errors.ts";
import { memberOf } from "../../protocol/json/scan.ts";
import { encodeNotification, memberText, type RpcCall } from "../../protocol/json-rpc/message.ts";
import { SUBSCRIPTION_ID } from "../../protocol/mcp/envelope.ts";
import type { Exchange } from "../door.ts";
import { EventStream } from "../http/event-stream.ts";

const RETRY_MS = 30_000;

export class Listeners {
  readonly #gateway: Gateway;
  readonly #limit: () => number;
  /** Each ends its stream in good order. */
  readonly #open = new Set<() => void>();

  constructor(gateway: Gateway, limit: () => number) {
    this.#gateway = gateway;
    this.#limit = limit;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Answers `subscriptions/listen`; the stream outlives this call. */
  listen(exchange: Exchange, call: RpcCall & { readonly id: string }): void {
    const wantsTools = filterOf(call)["toolsListChanged"] === true;
    if (this.#open.size >= this.#limit()) throw full(this.#open.size);
    const stream = new EventStream(exchange.response);
    const meta = `"_meta":{"${SUBSCRIPTION_ID}":${call.id}}`;
    const honoured = wantsTools ? '{"toolsListChanged":true}' : "{}";
    const acknowledged = `{${meta},"notifications":${honoured}}`;
    stream.send(encodeNotification("notifications/subscriptions/acknowledged", acknowledged));
    const finish = () => {
      stream.send(`{"jsonrpc":"2.0","id":${call.id},"result":{"resultType":"complete",${meta}}}`);
      stream.end();
    };
    // Who wants nothing that we could tell need not wait for it.
    if (wantsTools) this.#keep(exchange, finish, () => stream.send(changed(meta)));
    else finish();
  }

  /** We are going: everybody is told that nothing more will come. */
  close(): void {
    for (const finish of this.#open) finish();
  }

  #keep(exchange: Exchange, finish: () => void, onToolsChanged: () => void): void {
    const stop = this.#gateway.onToolsChanged(onToolsChanged);
    this.#open.add(finish);
    exchange.response.on("close", () => {
      stop();
      this.#open.delete(finish);
    });
  }
}

function filterOf(call: RpcCall): Readonly<Record<string, unknown>> {
  const text = memberText(call.text, call.members, "notifications");
  if (text === undefined || memberOf(call.members, "notifications")?.kind !== "object") {
    const reason = "'notifications' must tell what to listen for";
    throw new ZaguanError("INVALID_PARAMS", { params: { reason } });
  }
  return JSON.parse(text) as Record<string, unknown>;
}

function changed(meta: string): string {
  return encodeNotification("notifications/tools/list_changed", `{${meta}}`);
}

function full(open: number): ZaguanError {
  return new ZaguanError("NO_CAPACITY", {
    params: { source: "subscriptions", waiting: open, seconds: RETRY_MS / 1_000 },
    retryAfterMs: RETRY_MS,
  });
}
