/**
 * Finds the handler of a request by its path and method: plain look-ups and comparisons of segments, no regular
 * expressions. One segment of a path may be a placeholder, as in `/servers/{name}/mcp`.
 */
import { ZaguanError } from "../../errors.ts";
import type { Door, Route } from "../door.ts";

export interface Place {
  /** The routes of this path by method. */
  readonly methods: ReadonlyMap<string, Route>;
  /** What stands in the path for each placeholder, decoded. */
  readonly names: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly segments: readonly string[];
  readonly methods: Map<string, Route>;
}

export const NO_NAMES: Readonly<Record<string, string>> = Object.freeze({});

const MOST_KEPT = 1_000;

export class Routes {
  readonly #exact = new Map<string, { readonly methods: Map<string, Route>; readonly names: Place["names"] }>();
  readonly #patterns = new Map<string, Pattern>();
  readonly #kept = new Map<string, Place>();

  constructor(doors: readonly Door[]) {
    for (const route of doors.flatMap((door) => door.routes)) this.#add(route);
  }

  /** A pattern is tried too where an exact path lacks the method: a server can be called `preview`. */
  find(path: string, method?: string): Place | undefined {
    const exact = this.#exact.get(path);
    if (!exact) return this.#findKept(path);
    if (method === undefined || exact.methods.has(method)) return exact;
    const pattern = this.#findKept(path);
    return pattern?.methods.has(method) ? pattern : exact;
  }

  /** Keeps what was found, since the same few paths are asked for again and again; bounded against made-up ones. */
  #findKept(path: string): Place | undefined {
    const kept = this.#kept.get(path);
    if (kept) return kept;
    const place = this.#findPattern(path);
    if (place && this.#kept.size >= MOST_KEPT) this.#kept.clear();
    if (place) this.#kept.set(path, place);
    return place;
  }

  #findPattern(path: string): Place | undefined {
    const segments = path.split("/", 10);
    for (const pattern of this.#patterns.values()) {
      const names = namesIn(pattern.segments, segments);
      if (names) return { methods: pattern.methods, names };
    }
    return undefined;
  }

  #add(route: Route): void {
    const methods = this.#methodsOf(route.path);
    if (methods.has(route.method)) throw new TypeError(`two doors claim ${route.method} ${route.path}`);
    methods.set(route.method, route);
  }

  #methodsOf(path: string): Map<string, Route> {
    const known = this.#exact.get(path) ?? this.#patterns.get(path);
    if (known) return known.methods;
    const methods = new Map<string, Route>();
    if (path.includes("{")) this.#patterns.set(path, { segments: path.split("/"), methods });
    else this.#exact.set(path, { methods, names: NO_NAMES });
    return methods;
  }
}

/** The path without its query. A URL is never built from it, so that no spelling of `Host` can move it. */
export function pathOf(url: string | undefined): string {
  if (url === undefined) return "/";
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

/** The query of a URL, of which nothing else is interpreted. */
export function queryOf(url = ""): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : url.slice(start + 1));
}

export function notFound(path: string): ZaguanError {
  return new ZaguanError("NOT_FOUND", { params: { path: path.slice(0, 100) } });
}

/** @param allowed methods, separated by commas, as the header `Allow` has them */
export function notAllowed(method: string | undefined, allowed: string): ZaguanError {
  return new ZaguanError("METHOD_NOT_ALLOWED", { params: { method: (method ?? "").slice(0, 20), allowed } });
}

function namesIn(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const names: Record<string, string> = Object.create(null);
  for (const [index, expected] of pattern.entries()) {
    const given = segments[index] ?? "";
    if (expected.startsWith("{")) {
      const decoded = decodeSegment(given);
      if (!decoded) return undefined;
      names[expected.slice(1, -1)] = decoded;
    } else if (expected !== given) return undefined;
  }
  return names;
}

/** Undefined where the escapes are broken. */
function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
