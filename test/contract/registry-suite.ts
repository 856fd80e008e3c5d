/** The registry's contract as tests, for every implementation of `src/store/registry.ts`. */
import { afterEach, beforeEach, describe } from "node:test";
import type { RegistryTables } from "../../src/store/registry.ts";
import type { KeyTable } from "../../src/store/store.ts";
import { describeAgents } from "./registry-agents-suite.ts";
import { describeBindings } from "./registry-bindings-suite.ts";
import { describeServers } from "./registry-servers-suite.ts";
import { describeSync } from "./registry-sync-suite.ts";
import { describeTools } from "./registry-tools-suite.ts";
import type { StoreUnderTest } from "./store-suite.ts";

/** What each part of the suite works on; a fresh one for every test. */
export interface Subject {
  registry: RegistryTables;
  keys: KeyTable;
  /** The same data through a second store, while the first is open. */
  another(): Promise<RegistryTables>;
  /** The same data after the first store was closed. */
  restarted(): Promise<RegistryTables>;
}

export function describeRegistry(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the contract of a registry`, () => {
    let opened: StoreUnderTest;
    const subject = {} as Subject;

    beforeEach(async () => {
      opened = await open();
      const { store, reopen } = opened;
      subject.registry = store.registry;
      subject.keys = store.keys;
      subject.another = async () => (await reopen()).registry;
      subject.restarted = async () => {
        await store.close();
        return (await reopen()).registry;
      };
    });
    afterEach(() => opened.dispose());

    describeServers(subject);
    describeSync(subject);
    describeTools(subject);
    describeAgents(subject);
    describeBindings(subject);
  });
}
