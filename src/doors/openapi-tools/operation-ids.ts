/** Names for operations, made of the names of tools: for many clients they are what a model calls, and few of them take any character. */
import { createHash } from "node:crypto";

const FIT = /^[A-Za-z0-9_-]{1,64}$/;
const LONGEST = 64;
const DIGEST = 8;

/** By the tool's name, no two alike. A name that fits stays as it is, whatever the others are called. */
export function operationIds(tools: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(tools.filter((name) => FIT.test(name)));
  return new Map(tools.map((name) => [name, FIT.test(name) ? name : claim(name, taken)]));
}

function claim(name: string, taken: Set<string>): string {
  for (const id of candidates(name)) {
    if (taken.has(id)) continue;
    taken.add(id);
    return id;
  }
  throw new TypeError("there is always another candidate");
}

/** Readable first; then with something that belongs to this name alone, so that it does not depend on the others. */
function* candidates(name: string): Generator<string> {
  const plain = name.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+$/, "") || "tool";
  yield plain.slice(0, LONGEST);
  const own = createHash("sha256").update(name).digest("hex").slice(0, DIGEST);
  const unlike = `${plain.slice(0, LONGEST - DIGEST - 5)}_${own}`;
  yield unlike;
  for (let n = 2; ; n++) yield `${unlike}_${n}`;
}
