/** What the part of the address behind `#` means, and how it is written. */
export interface Route {
  /** `#/tools/house/get_presence` is page "tools" with the parts "house" and "get_presence". */
  readonly page: string;
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

export function routeIn(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [page = "", ...parts] = path.split("/").map(decoded);
  return { page, parts, query: new URLSearchParams(query) };
}

/** For `href`s: `#/tools/house/get_presence`. */
export function linkTo(page: string, ...parts: readonly string[]): string {
  return `#/${[page, ...parts].map((part) => encodeURIComponent(part)).join("/")}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
