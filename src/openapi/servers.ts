/** Where an API lives: addresses with their variables filled in, relative ones against the document's own. */
import { isObject } from "../contract/rules.ts";
import { listAt, member, textAt, wordOf } from "./plain.ts";

const LONGEST = 2_048;

/** Only those that HTTP reaches. `base` is where the document came from; without it relative addresses stay relative. */
export function serversOf(holder: unknown, base: string | undefined): string[] {
  const urls = listAt(holder, "servers").map((server) => addressOf(server, base));
  return [...new Set(urls.filter((url) => url !== undefined))];
}

function addressOf(server: unknown, base: string | undefined): string | undefined {
  const written = textAt(server, "url");
  const filled = written === undefined ? undefined : fill(written, member(server, "variables"));
  if (filled === undefined || filled.length > LONGEST) return undefined;
  // Some write nothing for the root.
  const place = filled === "" ? "/" : filled;
  const url = base === undefined ? place : URL.parse(place, base)?.href;
  if (url === undefined || (/^[a-z][a-z0-9+.-]*:/i.test(url) && !/^https?:\/\//i.test(url))) return undefined;
  return url.length > 1 ? url.replace(/\/+$/, "") : url;
}

/** Undefined if a variable has no value: the address would be a guess. */
function fill(url: string, variables: unknown): string | undefined {
  let complete = true;
  const filled = url.slice(0, LONGEST).replace(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const value = valueFor(member(variables, name));
    if (value === undefined) complete = false;
    return value ?? "";
  });
  return complete ? filled : undefined;
}

function valueFor(variable: unknown): string | undefined {
  if (!isObject(variable)) return undefined;
  return wordOf(variable["default"] ?? listAt(variable, "enum")[0]);
}
