/** Where the simulated house is kept, and how it is read and changed there: in the shape that the configuration gives it now. */
import type { HouseConfig } from "../../config/types.ts";
import type { DocumentTable } from "../../store/store.ts";
import { clearPresence, type HouseState, reconcile, setPresence } from "./state.ts";

const COLLECTION = "house";
const KEY = "state";

export class HouseDocument {
  readonly #documents: DocumentTable;
  readonly #config: HouseConfig;

  constructor(documents: DocumentTable, config: HouseConfig) {
    this.#documents = documents;
    this.#config = config;
  }

  async read(): Promise<HouseState> {
    return this.#current(await this.#documents.get(COLLECTION, KEY));
  }

  /** Resolves with the house as it was written. */
  async change(edit: (state: HouseState) => HouseState): Promise<HouseState> {
    const written = await this.#documents.update(COLLECTION, KEY, (saved) => edit(this.#current(saved)));
    return this.#current(written);
  }

  /** Nobody: it is empty. */
  setPresence(people: readonly string[]): Promise<HouseState> {
    return this.change((state) => (people.length > 0 ? setPresence(state, people) : clearPresence(state)));
  }

  #current(saved: unknown): HouseState {
    return reconcile(saved, this.#config);
  }
}
