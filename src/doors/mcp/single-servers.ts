/** Single servers, each untouched, as the clients of two-way carriers meet them. */
import type { Servers } from "../../core/gateway-contract.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { encodeNotification } from "../../protocol/json-rpc/message.ts";
import type { Counterpart, CounterpartOptions, Hearer } from "./counterpart.ts";
import { OneServer } from "./one-server.ts";
import { ServerConversation } from "./server-conversation.ts";
import { Listeners } from "./stateless/listeners.ts";
import { type ServerMemory, StatelessServer } from "./stateless/one-server.ts";
import { Suspensions } from "./stateless/suspensions.ts";

export class SingleServers {
  readonly #options: CounterpartOptions & { readonly servers: Servers };
  readonly #memory: ServerMemory;
  /** Of all servers: who is told what also depends on who else is there. */
  readonly #hearers = new Set<Hearer>();
  #stopListening: (() => void) | undefined;

  constructor(options: CounterpartOptions & { readonly servers: Servers }) {
    this.#options = options;
    const limit = (): number => options.limit();
    this.#memory = { listeners: new Listeners(limit), suspensions: new Suspensions(limit) };
  }

  /** Throws NOT_FOUND if there is no server of this name. */
  of(source: string): Counterpart {
    const { servers, door, report } = this.#options;
    const server = new OneServer(servers, source, door);
    return {
      stateless: new StatelessServer(server, this.#memory),
      converse: (interlocutor) => new ServerConversation({ server, report, ...interlocutor }),
      listen: (hearer) => this.#add(hearer),
    };
  }

  get listening(): number {
    return this.#memory.listeners.size;
  }

  close(): void {
    this.#memory.listeners.close();
    this.#memory.suspensions.close();
  }

  #add(hearer: Hearer): () => void {
    this.#hearers.add(hearer);
    this.#stopListening ??= this.#options.servers.onNotification((...said) => this.#tell(...said));
    return () => this.#remove(hearer);
  }

  #remove(hearer: Hearer): void {
    this.#hearers.delete(hearer);
    if (this.#hearers.size > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  #tell(source: string, method: string, params: Payload): void {
    const text = encodeNotification(method, params.text);
    for (const { dialogue, hasGreeted, tell } of this.#hearers) {
      const isMeant = dialogue instanceof ServerConversation && dialogue.hears(source, method, params);
      if (isMeant && hasGreeted()) tell(text);
    }
  }
}
