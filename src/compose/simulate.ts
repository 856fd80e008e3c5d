/** The simulated house on its own: the line protocol of seed 000, and the house of a data folder for the command line. */

import type { HouseConfig } from "../config/types.ts";
import { DEFAULT_LIMITS } from "../contract/limits.ts";
import { LocalAnswerCache } from "../core/shared/answer-cache.ts";
import { LocalRates } from "../core/shared/rates.ts";
import type { Language } from "../messages/catalogue.ts";
import { HouseDocument } from "../sources/house/document.ts";
import { makeHouseKind } from "../sources/house/source.ts";
import { type HouseState, hasLight, setAlarm, setLight } from "../sources/house/state.ts";
import { supervise } from "../sources/supervisor.ts";
import { memoryDocuments } from "../store/memory-documents.ts";
import type { DocumentTable } from "../store/store.ts";
import { makeHub } from "./hub.ts";
import { serveLinesOnStdio } from "./own-stdio.ts";
import { openStore, type StorePlace } from "./store.ts";
import { systemClock, systemRandom } from "./system.ts";

export type { HouseState } from "../sources/house/state.ts";

interface SimulateOptions {
  readonly houseConfig: HouseConfig;
  /** Where the state is kept; without, the house starts anew each time, as the original does. */
  readonly documents?: DocumentTable | undefined;
  readonly language: Language;
}

export async function simulateLines(options: SimulateOptions): Promise<void> {
  const emit = () => {};
  const limits = DEFAULT_LIMITS;
  const cache = new LocalAnswerCache(0);
  const rates = new LocalRates(() => 0);
  const hub = makeHub({ emit, cache, rates, limits: () => limits, onListed: () => {}, onSchemaSkipped: () => {} });
  const kind = makeHouseKind(options.documents ?? memoryDocuments());
  const ports = { clock: systemClock, random: systemRandom, emit };
  const rules = { readyMs: 10_000, onToolsChanged: () => {} };
  const source = supervise(kind, "house", options.houseConfig, rules, ports);
  const policy = { repeatable: [], cacheSeconds: {} };
  hub.attach({ source, policy, translate: kind.translate?.bind(kind) });
  const bounds = { depth: limits.jsonDepth, elements: limits.jsonElements, lineBytes: limits.lineBytes };
  await serveLinesOnStdio({ gateway: hub, language: options.language, limits: bounds, report: () => "" });
  await hub.close();
}

export interface House {
  read(): Promise<HouseState>;
  /** False if there is no such light. */
  setLight(name: string, on: boolean): Promise<boolean>;
  setAlarm(armed: boolean): Promise<void>;
  setPresence(people: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function openHouse(place: StorePlace, config: HouseConfig): Promise<House> {
  const store = await openStore(place);
  const document = new HouseDocument(store.documents, config);
  return {
    read: () => document.read(),
    setLight: async (name, on) => {
      if (!hasLight(await document.read(), name)) return false;
      await document.change((state) => setLight(state, name, on));
      return true;
    },
    setAlarm: async (armed) => void (await document.change((state) => setAlarm(state, armed))),
    setPresence: async (people) => void (await document.setPresence(people)),
    close: () => store.close(),
  };
}
