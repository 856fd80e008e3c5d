/**
 * Another key for stored credentials: everything under seal is sealed anew with the first of the configured keys. Hubs that have
 * both keys may go on meanwhile, since they open either.
 */
import { contextOf as contextOfApi } from "../apis/book.ts";
import { resealedDescription } from "../apis/sealed-addresses.ts";
import { contextOf as contextOfServer } from "../registry/connection.ts";
import type { KeyRing } from "../security/secrets.ts";
import type { SealedText } from "../store/sealed.ts";
import type { Store } from "../store/store.ts";
import { cannotOpenKeys, openKeyRing } from "./key-ring.ts";
import { refuseOtherKey, renewKeyCheck } from "./secret-key-check.ts";
import { openStore, type StorePlace } from "./store.ts";

interface Rotated {
  /** How many texts were under an older key. */
  readonly count: number;
  /** What none of the keys opens: the names of servers and the ids of APIs. */
  readonly unopened: readonly string[];
}

interface KeyedStorePlace extends StorePlace {
  /** The file with the secret of the cluster, where one is configured. */
  readonly secretFile: string | undefined;
}

/** Rejects with a ConfigError whose message is one clear line. */
export async function rotateKey(place: KeyedStorePlace): Promise<Rotated> {
  const store = await openStore(place);
  try {
    return await resealAll(store, await openKeys(store, place));
  } finally {
    await store.close();
  }
}

async function openKeys(store: Store, place: KeyedStorePlace): Promise<KeyRing> {
  const isShared = store.address !== undefined;
  try {
    const keys = await openKeyRing({ ...place, isShared });
    if (isShared) await refuseOtherKey(store, keys);
    return keys;
  } catch (cause) {
    throw cannotOpenKeys(cause, place.language);
  }
}

/** Those that somebody has changed meanwhile are looked at again. The word that hubs check comes last, when all is done. */
export async function resealAll(store: Store, keys: KeyRing): Promise<Rotated> {
  let count = 0;
  for (;;) {
    const pass = await resealOnce(store, keys);
    count += pass.count;
    if (pass.isOvertaken) continue;
    await renewKeyCheck(store, keys);
    return { count, unopened: [...new Set(pass.unopened)] };
  }
}

async function resealOnce({ sealed }: Store, keys: KeyRing): Promise<Rotated & { readonly isOvertaken: boolean }> {
  let [count, isOvertaken] = [0, false];
  const unopened: string[] = [];
  for (const read of await sealed.list()) {
    const text = resealed(read, keys);
    if (text === undefined) unopened.push(read.owner);
    else if (text === read.text) continue;
    else if (await sealed.replace(read, text)) count++;
    else isOvertaken = true;
  }
  return { count, unopened, isOvertaken };
}

/** Undefined where none of the keys opens it. */
function resealed({ place, owner, text }: SealedText, keys: KeyRing): string | undefined {
  try {
    if (place === "server") return keys.reseal(text, contextOfServer(owner));
    if (place === "api") return keys.reseal(text, contextOfApi(owner));
    return resealedDescription(text, owner, keys);
  } catch {
    return undefined;
  }
}
