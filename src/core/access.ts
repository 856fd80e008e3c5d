/** Who may use which tool. What a principal may not use does not exist for it: it is neither listed nor named. */
import type { Principal } from "./call.ts";

/** Whether it may not use everything: then nothing that belongs to all is for it. */
export function isLimited(principal: Principal): boolean {
  return principal.allow !== undefined || principal.links !== undefined;
}

/** By whom places, turns and calls are counted; what it may do and what belongs to it goes by its id. */
export function accountOf(principal: Principal): string {
  return principal.account ?? principal.id;
}

export function mayUse(principal: Principal, source: string, tool: string): boolean {
  if (principal.links) return principal.links.find(source, tool) !== undefined;
  if (!principal.allow) return true;
  const qualified = `${source}__${tool}`;
  // A pattern that names a source is about that source: another's tool may bear any name.
  return principal.allow.some((pattern) => matches(pattern, pattern.includes("__") ? qualified : tool));
}

/**
 * Whether it may ask a source for what this has beside tools. A pattern of tools is about tools, whatever it fits: more is
 * given by the source's own name alone, with all of it (`tv__*`) or with a method, which is told by its slash
 * (`tv__resources/read`).
 */
export function mayAsk({ allow, links }: Principal, source: string, method: string): boolean {
  if (links) return false;
  if (!allow) return true;
  const own = `${source}__`;
  return allow.some(
    (pattern) =>
      pattern === `${own}*` ||
      (pattern.startsWith(own) && pattern.includes("/") && matches(pattern, `${own}${method}`)),
  );
}

/** Whether a principal was given tools of this source by the source's own name, whatever these are called. */
export function mayName({ allow, links }: Principal, source: string): boolean {
  return !links && allow !== undefined && allow.some((pattern) => pattern.startsWith(`${source}__`));
}

/** `*` stands for any characters. Linear, since patterns are data and no regular expression is built from data. */
export function matches(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  const [first = "", ...rest] = parts;
  if (rest.length === 0) return pattern === text;
  const last = rest.pop() as string;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at < 0 || at + part.length > text.length - last.length) return false;
    from = at + part.length;
  }
  return true;
}
