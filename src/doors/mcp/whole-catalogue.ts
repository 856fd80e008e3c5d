/** The whole catalogue, as the clients of two-way carriers meet it. */
import type { Gateway } from "../../core/gateway-contract.ts";
import type { OffersGateway } from "../../core/offers.ts";
import { Conversation, type Dialogue, onUnasked, unaskedText } from "./conversation.ts";
import type { Counterpart, CounterpartOptions, Hearer, Interlocutor } from "./counterpart.ts";
import { OffersDesk } from "./offers.ts";
import { StatelessHub } from "./stateless/hub.ts";

/** Prompts and resources come from the same hub as the tools: `DoorContext.offers`. */
export interface WholeCatalogueOptions extends CounterpartOptions {
  readonly gateway: Gateway;
  readonly offers: OffersGateway;
}

export class WholeCatalogue implements Counterpart {
  readonly stateless: StatelessHub;
  readonly #options: WholeCatalogueOptions;

  readonly #desk: OffersDesk;

  constructor(options: WholeCatalogueOptions) {
    this.#options = options;
    this.#desk = new OffersDesk(options.offers, options.door);
    this.stateless = new StatelessHub(options);
  }

  converse(interlocutor: Interlocutor): Dialogue {
    const { gateway, door, report } = this.#options;
    return new Conversation({ gateway, offers: this.#desk, door, report, ...interlocutor });
  }

  listen(hearer: Hearer): () => void {
    return onUnasked(this.#options, (method, params) => {
      const { dialogue } = hearer;
      const isMeant = dialogue instanceof Conversation && dialogue.hears(method, params);
      if (isMeant && hearer.hasGreeted()) hearer.tell(unaskedText(method, params));
    });
  }
}
