/**
 * Looking into a document that somebody else wrote: members of a checked type, never from a prototype, local references
 * (`#/components/schemas/Pet`), which are followed to what they stand for, and the one error of this layer, which names the
 * place in the document.
 */
import { isObject } from "../contract/rules.ts";
import { ZaguanError } from "../errors.ts";

export type Form = Readonly<Record<string, unknown>>;

/** A member of its own; `constructor` and its like are not members. */
export function member(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function formAt(value: unknown, key: string): Form {
  const found = member(value, key);
  return isObject(found) ? found : {};
}

export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = member(value, key);
  return Array.isArray(found) ? found : [];
}

export function textAt(value: unknown, key: string): string | undefined {
  const found = member(value, key);
  return typeof found === "string" ? found : undefined;
}

/** What somebody wrote as a word, who may have meant a number to be one; an object cannot be asked. */
export function wordOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** Without the members that are undefined, which would be written into a file or compared as if they were there. */
export function compact<T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
}

/** Nobody writes longer chains, and without an end a long one could be walked again from each of its links. */
const LONGEST_CHAIN = 32;

interface Found {
  readonly value: unknown;
  /** The last reference on the way, in one spelling; undefined of what was not a reference. */
  readonly pointer?: string | undefined;
}

export class References {
  readonly #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** What a value stands for: itself, or what the chain of references that starts with it ends in. */
  follow(value: unknown, where: string): Found {
    let found: Found = { value };
    for (let hops = 0; ; hops++) {
      const reference = textAt(found.value, "$ref");
      if (reference === undefined) return found;
      if (hops > LONGEST_CHAIN) throw fault(where, `the reference ${JSON.stringify(reference)} leads in a circle`);
      found = this.#target(reference, where);
    }
  }

  /** The same, where only an object makes sense. */
  form(value: unknown, where: string): Readonly<Record<string, unknown>> {
    const found = this.follow(value, where).value;
    if (!isObject(found)) throw fault(where, "is not an object");
    return found;
  }

  #target(reference: string, where: string): Found {
    if (!reference.startsWith("#")) throw fault(where, `refers to another document: ${JSON.stringify(reference)}`);
    const tokens = tokensOf(reference);
    let value = this.#root;
    for (const token of tokens ?? []) value = step(value, token);
    if (!tokens || value === undefined) throw fault(where, `${JSON.stringify(reference)} leads nowhere in it`);
    return { value, pointer: tokens.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("") };
  }
}

/** Undefined of what is no pointer: an anchor's name, the whole document, a broken escape. */
function tokensOf(reference: string): string[] | undefined {
  if (!reference.startsWith("#/")) return undefined;
  try {
    const parts = decodeURIComponent(reference.slice(2)).split("/");
    return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return undefined;
  }
}

function step(value: unknown, token: string): unknown {
  if (Array.isArray(value)) return /^(0|[1-9]\d{0,8})$/.test(token) ? value[Number(token)] : undefined;
  return isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}

const LONGEST_PLACE = 200;
const LONGEST_REASON = 500;

/** `where` is a place in the document as a person would write it (`paths./pets.get`), or "" for the whole of it. */
export function fault(where: string, reason: string): ZaguanError {
  const place = where === "" ? "OpenAPI document" : `OpenAPI document, ${shortened(where, LONGEST_PLACE)}`;
  return new ZaguanError("INVALID_PARAMS", { params: { reason: `${place}: ${shortened(reason, LONGEST_REASON)}` } });
}

/** The reason of one of ours, to be shown in a list; anything else is a defect and goes on. */
export function reasonOf(cause: unknown): string {
  const reason = cause instanceof ZaguanError ? cause.details.params?.["reason"] : undefined;
  if (reason === undefined) throw cause;
  return String(reason);
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
