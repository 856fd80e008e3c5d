/** Whom the clients of one door may talk to, for doors that lead to the whole catalogue and to single servers. */
import type { Servers } from "../../core/gateway-contract.ts";
import type { Counterpart } from "./counterpart.ts";
import { SingleServers } from "./single-servers.ts";
import { WholeCatalogue, type WholeCatalogueOptions } from "./whole-catalogue.ts";

export class Counterparts {
  readonly #whole: WholeCatalogue;
  readonly #single: SingleServers;

  constructor(options: WholeCatalogueOptions & { readonly servers: Servers }) {
    this.#whole = new WholeCatalogue(options);
    this.#single = new SingleServers(options);
  }

  /** Throws NOT_FOUND if there is no server of this name. */
  of(server: string | undefined): Counterpart {
    return server === undefined ? this.#whole : this.#single.of(server);
  }

  /** How many stateless clients listen for changes. */
  get listening(): number {
    return this.#whole.stateless.listening + this.#single.listening;
  }

  /** Those who listen are told that nothing more will come; calls that wait for their client end. */
  close(): void {
    this.#whole.stateless.close();
    this.#single.close();
  }
}
