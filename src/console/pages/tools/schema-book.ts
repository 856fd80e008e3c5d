/** A schema as a whole, in which its parts refer to each other: finds what a `$ref` means. Nothing outside is ever asked for. */
import { isObject, type JsonObject } from "./values.ts";

/** Nobody writes larger ones by hand; the hub does not offer them. */
const MOST_PARTS = 20_000;

export class SchemaBook {
  readonly root: unknown;
  #named: ReadonlyMap<string, unknown> | undefined;

  constructor(root: unknown) {
    this.root = root;
  }

  /** Undefined where there is nothing of that name in here. */
  find(ref: string): unknown {
    const hash = ref.indexOf("#");
    const [document, fragment] = hash < 0 ? [ref, ""] : [ref.slice(0, hash), ref.slice(hash + 1)];
    const base = document === "" ? this.root : this.#byName(document);
    if (fragment === "" || base === undefined) return base;
    return fragment.startsWith("/") ? followPointer(base, fragment) : this.#byName(`#${decoded(fragment)}`);
  }

  #byName(name: string): unknown {
    this.#named ??= namesIn(this.root);
    return this.#named.get(name) ?? this.#named.get(absolute(name, idOf(this.root)));
  }
}

/** By RFC 6901, written in a URI. */
function followPointer(base: unknown, pointer: string): unknown {
  let found = base;
  for (const step of pointer.split("/").slice(1)) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as JsonObject)[key];
  }
  return found;
}

/** What calls itself something: by `$id` (as written, and as it is meant), by `$anchor`. */
function namesIn(root: unknown): ReadonlyMap<string, unknown> {
  const names = new Map<string, unknown>();
  const open: unknown[] = [root];
  const base = idOf(root);
  for (let seen = 0; open.length > 0 && seen < MOST_PARTS; seen++) {
    const part = open.pop();
    if (typeof part !== "object" || part === null) continue;
    if (isObject(part)) for (const name of ownNames(part, base)) if (!names.has(name)) names.set(name, part);
    for (const inner of Object.values(part)) open.push(inner);
  }
  return names;
}

function ownNames(part: JsonObject, base: string): readonly string[] {
  const id = idOf(part);
  const anchors = [part["$anchor"], part["$dynamicAnchor"]].flatMap((name) =>
    typeof name === "string" ? `#${name}` : [],
  );
  return id === "" ? anchors : [...anchors, id, absolute(id, base)];
}

function idOf(schema: unknown): string {
  if (!isObject(schema)) return "";
  const id = schema["$id"] ?? schema["id"];
  return typeof id === "string" ? id.replace(/#$/, "") : "";
}

function absolute(name: string, base: string): string {
  return URL.canParse(name, base || undefined) ? new URL(name, base || undefined).href : name;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
