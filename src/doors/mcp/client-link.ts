/**
 * The other direction: what a source asks of the client (sampling, elicitation, roots) is sent to the client as a request
 * of ours, on whatever way leads to it just now, and its answer comes back as one of its messages.
 */
import type { Caller } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import type { ScanLimits } from "../../protocol/json/scan.ts";
import { memberOf } from "../../protocol/json/scan.ts";
import type { RpcCall } from "../../protocol/json-rpc/message.ts";
import { RpcPeer } from "../../protocol/json-rpc/peer.ts";

/** Which capability the client must have declared for which request. */
const NEEDED: Readonly<Record<string, string>> = {
  "sampling/createMessage": "sampling",
  "elicitation/create": "elicitation",
  "roots/list": "roots",
};

export type Outlet = (message: string) => boolean;

export class ClientLink implements Caller {
  readonly #peer: RpcPeer;
  /** Ways to the client, the best last; each tells whether it took the message. */
  readonly #outlets: Outlet[] = [];
  #capabilities: ReadonlySet<string> = new Set();

  constructor(limits: ScanLimits) {
    this.#peer = new RpcPeer({
      name: "client",
      limits,
      send: (message) => this.#send(message),
      onNotification: () => {},
      onNoise: () => {},
    });
  }

  get canBeAsked(): boolean {
    return this.#capabilities.size > 0;
  }

  /** Learns from `initialize` what the client can be asked for. */
  learn(initialize: RpcCall): void {
    const capabilities = memberOf(initialize.members, "capabilities");
    const text = capabilities ? initialize.text.slice(capabilities.start, capabilities.end) : "{}";
    const declared = Object.keys((JSON.parse(text) ?? {}) as object);
    this.#capabilities = new Set(declared.filter((name) => Object.values(NEEDED).includes(name)));
  }

  /** Opens a way to the client; the returned function closes it. */
  addOutlet(outlet: Outlet): () => void {
    this.#outlets.push(outlet);
    return () => {
      this.#outlets.splice(this.#outlets.indexOf(outlet), 1);
    };
  }

  /** Something that belongs to what is under way: on the stream of its answer if there is one, else on any. */
  tell(message: string): void {
    this.#outlets.findLast((outlet) => outlet(message));
  }

  /** A message of the client's that is an answer. */
  receive(message: string): void {
    this.#peer.receive(message);
  }

  request(method: string, params: Payload, signal: AbortSignal): Promise<Payload> {
    const needed = NEEDED[method];
    if (needed === undefined || !this.#capabilities.has(needed)) return Promise.reject(cannot(method));
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

function cannot(what: string): ZaguanError {
  const relayed = { code: -32601, message: `The client cannot be asked: ${what}` };
  return new ZaguanError("UNKNOWN_METHOD", { params: { method: what }, relayed, delivery: "not_sent" });
}
