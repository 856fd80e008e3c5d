/** Local references: JSON pointers in a fragment (`#/components/schemas/Pet`), followed to what they stand for. */
import { isObject } from "../contract/rules.ts";
import { fault } from "./fault.ts";
import { textAt } from "./plain.ts";

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
