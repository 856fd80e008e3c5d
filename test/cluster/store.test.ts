/** The contract of the store over PostgreSQL: the same suites as SQLite's, each test in a schema of its own. */
import { after, before, describe } from "node:test";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import type { Store } from "../../src/store/store.ts";
import { describeApis } from "../contract/apis-suite.ts";
import { describeRegistry } from "../contract/registry-suite.ts";
import { describeSealed } from "../contract/sealed-suite.ts";
import { describeStore, type StoreUnderTest } from "../contract/store-suite.ts";
import { NO_POSTGRES, type Postgres, startPostgres } from "../support/postgres.ts";

describe("the store in PostgreSQL", { skip: NO_POSTGRES }, () => {
  let server: Postgres;
  let count = 0;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server?.dispose());

  const open = async (): Promise<StoreUnderTest> => {
    const schema = `test_${++count}`;
    const opened: Store[] = [];
    const reopen = async (): Promise<Store> => {
      const store = await openPostgresStore(parseAddress(server.url(schema), {}));
      opened.push(store);
      return store;
    };
    return {
      store: await reopen(),
      reopen,
      dispose: async () => {
        for (const store of opened) await store.close();
      },
    };
  };

  describeStore("PostgreSQL", open);
  describeRegistry("PostgreSQL", open);
  describeApis("PostgreSQL", open);
  describeSealed("PostgreSQL", open);
});
