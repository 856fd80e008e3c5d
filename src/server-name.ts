/**
 * A server's name is any text that people like; its slug is what stands in addresses (`/servers/{slug}/mcp`) and before the
 * `__` of a tool's name. A name that can be a slug is its own.
 */

/** "__" separates server and tool in `server__tool`; "." and ".." would vanish from a URL's path; "house" is ours. */
export const SLUG: RegExp = /^(?!house$)(?!\.{1,2}$)(?!.*__)(?!.*_$)[A-Za-z0-9_.-]{1,64}$/;
/** `__proto__` is no key that an object could have. */
export const SERVER_NAME: RegExp = /^(?!house$)(?!__proto__$)(?!\s)[^\p{Cc}\p{Cs}]{1,100}(?<!\s)$/u;
/** Room for a number behind it. */
const LONGEST_MADE = 56;

export function isSlug(name: string): boolean {
  return SLUG.test(name);
}

/** What is wrong with a server's name, in words; undefined if it will do. */
export function serverNameProblem(name: string): string | undefined {
  if (name === "house") return 'the name "house" belongs to the simulated house';
  if (SERVER_NAME.test(name)) return undefined;
  return "a server's name is a text of 1 to 100 characters on one line, without spaces around it";
}

/** The slug of a name, as long as no other server has it. */
export function slugOf(name: string): string {
  if (isSlug(name)) return name;
  const letters = name
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
  const plain = letters
    .replace(/[^a-z0-9_.]+/g, "-")
    .replace(/__+/g, "_")
    .slice(0, LONGEST_MADE);
  const made = plain.replace(/^[-_.]+|[-_.]+$/g, "");
  return isSlug(made) ? made : "server";
}

/** Its slug, then others that say the same with a number. */
export function* slugsFor(name: string): Generator<string, never> {
  const slug = slugOf(name);
  yield slug;
  for (let number = 2; ; number++) yield `${slug.slice(0, LONGEST_MADE)}-${number}`;
}
