/** The key with which this page comes, where one is asked for. It lives as long as the tab, unless the user wants it kept. */
import { Store } from "./store.ts";

const KEPT = "zaguan.key";

/** True while the hub wants a key that we do not have. */
export const keyWanted: Store<boolean> = new Store(false);

export function currentKey(): string | null {
  return sessionStorage.getItem(KEPT) ?? localStorage.getItem(KEPT);
}

export function rememberKey(key: string, keep: boolean): void {
  forgetKey();
  (keep ? localStorage : sessionStorage).setItem(KEPT, key);
  keyWanted.set(false);
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEPT);
  localStorage.removeItem(KEPT);
}

export function keyHeader(): Record<string, string> {
  const key = currentKey();
  return key === null ? {} : { authorization: `Bearer ${key}` };
}
