/**
 * API keys: `zgn_` and 256 random bits. A key is shown once; only its hash is kept. A plain SHA-256 is enough, because
 * there is nothing to guess in a random key that a slow hash could protect.
 */
import { hash, randomBytes } from "node:crypto";
import type { NewKey } from "../store/store.ts";

interface MintedKey {
  /** For its owner; never stored, never logged. */
  readonly key: string;
  readonly hash: string;
  /** Enough to tell keys apart, too little to guess one. */
  readonly hint: string;
}

const HINT_LENGTH = 8;
const WELL_FORMED = /^zgn_[A-Za-z0-9_-]{43}$/;

export function mintKey(): MintedKey {
  const key = `zgn_${randomBytes(32).toString("base64url")}`;
  return { key, hash: hashKey(key), hint: `${key.slice(0, HINT_LENGTH)}…` };
}

/** A new key, and what the store keeps of it. */
export function makeKey(wanted: Omit<NewKey, "hash" | "hint">): { readonly key: string; readonly kept: NewKey } {
  const { key, ...mark } = mintKey();
  return { key, kept: { ...wanted, ...mark } };
}

/** For those who can read the data folder of the running hub; never one that the store would take for a key. */
export function mintLocalToken(): string {
  return `local_${randomBytes(32).toString("base64url")}`;
}

/** SHA-256 in hexadecimal. */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** Tells what cannot be a key without asking the store. */
export function isWellFormedKey(text: string): boolean {
  return WELL_FORMED.test(text);
}
