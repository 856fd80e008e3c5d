/**
 * Finds what a `$ref` means, inside its own document only: "#", "#/a/b", "#anchor", or the same behind the document's
 * own `$id`. Anything else, be it a file or an address, has no meaning here and nothing is ever fetched.
 */
import { followPointer } from "../protocol/json/pointer.ts";

type Json = Readonly<Record<string, unknown>>;

export class LocalReferences {
  readonly #root: unknown;
  readonly #id: string;
  readonly #anchors = new Map<string, unknown>();
  /** A document inside the document changes what "#" means; nobody has been seen doing that in a tool. */
  #nested = false;

  constructor(root: Json) {
    this.#root = root;
    this.#id = documentOf(typeof root["$id"] === "string" ? root["$id"] : "");
    this.#collect(root);
  }

  /** Undefined where it leads out of the document, to nothing, or to more than one place. */
  resolve(reference: string): unknown {
    const document = documentOf(reference);
    if (this.#nested) return undefined;
    if (document !== "" && document !== this.#id) return undefined;
    const fragment = decode(reference.slice(document.length + 1));
    if (fragment === "") return this.#root;
    return fragment?.startsWith("/") ? followPointer(this.#root, fragment) : this.#anchors.get(fragment ?? "");
  }

  #collect(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === "string") this.#name(key, member, value);
      else this.#collect(member);
    }
  }

  #name(key: string, name: string, place: unknown): void {
    if (key === "$anchor" || key === "$dynamicAnchor") this.#addAnchor(name, place);
    // Before 2019 an anchor was written as an identifier.
    else if (key === "$id" && name.startsWith("#")) this.#addAnchor(name.slice(1), place);
    else if (key === "$id" && documentOf(name) !== this.#id) this.#nested = true;
  }

  #addAnchor(name: string, place: unknown): void {
    const taken = this.#anchors.has(name) && this.#anchors.get(name) !== place;
    this.#anchors.set(name, taken ? undefined : place);
  }
}

function documentOf(reference: string): string {
  const hash = reference.indexOf("#");
  return hash < 0 ? reference : reference.slice(0, hash);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
