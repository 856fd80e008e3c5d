/**
 * The other direction: what a source asks of the client (sampling, elicitation, roots) is sent to the client as a request
 * of ours, on whatever way leads to it just now, and its answer comes back as one of its messages.
 */
import type { Caller } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import { memberOf, type ScanLimits } from "../../protocol/json/scan.ts";
import { encodeNotification, type RpcCall } from "../../protocol/json-rpc/message.ts";
import { RpcPeer } from "../../protocol/json-rpc/peer.ts";
import { askable, isAtLeast, mayBeAsked } from "../../protocol/mcp/client-capabilities.ts";

type Outlet = (message: string) => boolean;

let links = 0;

export class ClientLink implements Caller {
  readonly identity: string = `session ${++links}`;
  /** It is asked while its call waits. */
  readonly comesAgain = false;
  capabilities: Payload = EMPTY_OBJECT;
  info: Payload | undefined;
  /** As it last said by `logging/setLevel`. */
  logLevel: string | undefined;
  ownUris: Set<string> | undefined;
  readonly #peer: RpcPeer;
  /** Ways to the client, the best last; each tells whether it took the message. */
  readonly #outlets: Outlet[] = [];
  #canBeAsked = false;

  /** @param firstId of what it is asked */
  constructor(limits: ScanLimits, firstId?: number) {
    this.#peer = new RpcPeer({
      name: "client",
      limits,
      firstId,
      send: (message) => this.#send(message),
      onNotification: () => {},
      onNoise: () => {},
    });
  }

  get canBeAsked(): boolean {
    return this.#canBeAsked;
  }

  /** Learns from `initialize` who the client is and what it can be asked for. */
  learn(initialize: RpcCall): void {
    this.capabilities = objectIn(initialize, "capabilities") ?? EMPTY_OBJECT;
    this.info = objectIn(initialize, "clientInfo");
    this.#canBeAsked = askable(this.capabilities).length > 0;
  }

  /** Who never named a level hears what the server finds fit. */
  wantsLog(level: unknown): boolean {
    return this.logLevel === undefined || isAtLeast(level, this.logLevel);
  }

  /** Opens a way to the client; the returned function closes it. */
  addOutlet(outlet: Outlet): () => void {
    this.#outlets.push(outlet);
    return () => {
      this.#outlets.splice(this.#outlets.indexOf(outlet), 1);
    };
  }

  /** On the way that is always there, if it is; else on the newest. Logs that it did not ask for are kept from it. */
  tell(method: string, params: Payload): void {
    const level = (params.value as { level?: unknown } | null)?.level;
    if (method === "notifications/message" && !this.wantsLog(level)) return;
    const message = encodeNotification(method, params.text);
    const [first, ...others] = this.#outlets;
    if (!first?.(message)) others.findLast((outlet) => outlet(message));
  }

  /** A message of the client's that is an answer. */
  receive(message: string): void {
    this.#peer.receive(message);
  }

  request(method: string, params: Payload, signal: CancelSignal): Promise<Payload> {
    if (!mayBeAsked(this.capabilities, method, params)) return Promise.reject(cannot(method));
    return this.#peer.request(method, () => params.text, { signal });
  }

  end(): void {
    this.#peer.end("the client has gone");
  }

  #send(message: string): Promise<void> {
    const taken = this.#outlets.findLast((outlet) => outlet(message));
    return taken ? Promise.resolve() : Promise.reject(cannot("the client is not listening"));
  }
}

function objectIn(call: RpcCall, key: string): Payload | undefined {
  const member = memberOf(call.members, key);
  return member?.kind === "object" ? Payload.ofText(call.text.slice(member.start, member.end)) : undefined;
}

function cannot(what: string): ZaguanError {
  const relayed = { code: -32601, message: `The client cannot be asked: ${what}` };
  return new ZaguanError("UNKNOWN_METHOD", { params: { method: what }, relayed, delivery: "not_sent" });
}
