/**
 * Whether the key of this hub opens what is sealed in a database that several hubs use. The first one leaves a sealed word
 * there, and each that comes later must be able to open it: two hubs with different keys would each store credentials that
 * the other cannot use.
 */
import { contextOf as contextOfApi } from "../apis/book.ts";
import { contextOf as contextOfServer } from "../registry/connection.ts";
import type { KeyRing, Secrets } from "../security/secrets.ts";
import type { Store } from "../store/store.ts";

const PLACE = ["secrets", "check"] as const;
const CONTEXT = "store:check";

/** Rejects with a TypeError that says what to do. */
export async function refuseOtherKey(store: Store, secrets: Secrets): Promise<void> {
  const { documents } = store;
  const known = await documents.get(...PLACE);
  if (known === undefined) await openEverything(store, secrets);
  const sealed = known ?? (await documents.update(...PLACE, (found) => found ?? secrets.seal("zaguan", CONTEXT)));
  open(secrets, String(sealed), CONTEXT);
}

/** The word under the first key: who has an older one alone does not start any more. */
export async function renewKeyCheck({ documents }: Store, keys: KeyRing): Promise<void> {
  if ((await documents.get(...PLACE)) === undefined) return;
  await documents.update(...PLACE, (found) => keys.reseal(String(found), CONTEXT));
}

/** A database that was moved here has credentials, and no word yet. */
async function openEverything({ registry, apis }: Store, secrets: Secrets): Promise<void> {
  for (const { name, sealed } of await registry.servers.list()) {
    if (sealed !== undefined) open(secrets, sealed, contextOfServer(name));
  }
  for (const { id, sealed } of await apis.list()) {
    if (sealed !== undefined) open(secrets, sealed, contextOfApi(id));
  }
}

function open(secrets: Secrets, sealed: string, context: string): void {
  try {
    secrets.open(sealed, context);
  } catch (cause) {
    throw new TypeError(
      "credentials in the database are sealed with another one; set ZAGUAN_SECRET_KEY to the key of the hub that stored them " +
        "(the content of secret.key in its data folder), or the cluster's secret to that of the nodes that did",
      { cause },
    );
  }
}
