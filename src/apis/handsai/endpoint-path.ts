/** The path of a tool: "/v1/{city}?lang=es&days={days}". It stays below its base URL whatever is written in it. */

export interface Endpoint {
  /** With the part of the query that is always the same. */
  readonly path: string;
  /** Names of parameters that stand in the path. */
  readonly places: readonly string[];
  /** Parameters that are the value of a pair in the query. */
  readonly pairs: readonly QueryPlace[];
}

interface QueryPlace {
  /** The name in the URL. */
  readonly name: string;
  readonly parameter: string;
}

const PLACE = /\{([^{}]+)\}/g;
const PAIR_WITH_PLACE = /^([^={}]+)=\{([^{}]+)\}$/;

export function endpointOf(endpointPath: string): Endpoint {
  const [path, query] = split(endpointPath);
  const pairs = query === "" ? [] : query.split("&");
  const fixed = pairs.filter((pair) => !PAIR_WITH_PLACE.test(pair));
  return {
    path: fixed.length === 0 ? path : `${path}?${fixed.join("&")}`,
    places: [...new Set([...path.matchAll(PLACE)].map(([, name = ""]) => name))],
    pairs: pairs.flatMap((pair) => {
      const [, name, parameter] = PAIR_WITH_PLACE.exec(pair) ?? [];
      return name === undefined || parameter === undefined ? [] : [{ name: decoded(name) ?? name, parameter }];
    }),
  };
}

/** Why this is no path of a tool; undefined where it is one. */
export function endpointFault(endpointPath: string): string | undefined {
  const [path, query] = split(endpointPath);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f\\]/.test(endpointPath)) return "must not have control characters or backslashes";
  if (/^\/\/|^[^/?{]*:/.test(path)) return "must be a path below baseUrl, not another address";
  if (endpointPath.includes("#")) return "must not have a fragment";
  if (climbs(path)) return "must not go up with '.' or '..'";
  if (/[{}]/.test(path.replace(PLACE, ""))) return "has a brace without its other";
  return query.split("&").some(isUnfitPair) ? "may have a {parameter} in its query only as a whole value" : undefined;
}

function split(endpointPath: string): readonly [path: string, query: string] {
  const at = endpointPath.indexOf("?");
  return at < 0 ? [endpointPath, ""] : [endpointPath.slice(0, at), endpointPath.slice(at + 1)];
}

/** However often dots and slashes are encoded, somebody on the way may decode them; some drop what follows `;`. */
function climbs(path: string): boolean {
  const bare = path
    .replace(/%(?:25)+/gi, "%")
    .replace(/%2e/gi, ".")
    .replace(/%3b/gi, ";");
  return bare.split(/\/|%2f|%5c/i).some((segment) => /^\.{1,2}(?:;|$)/.test(segment));
}

function isUnfitPair(pair: string): boolean {
  if (!/[{}]/.test(pair)) return false;
  const [, name] = PAIR_WITH_PLACE.exec(pair) ?? [];
  return name === undefined || decoded(name) === undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
