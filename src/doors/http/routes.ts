/** Finds the handler of a request by its path and method; plain look-ups, no patterns. */
import type { Door, Route } from "../door.ts";

export class Routes {
  readonly #paths = new Map<string, Map<string, Route>>();

  constructor(doors: readonly Door[]) {
    for (const route of doors.flatMap((door) => door.routes)) this.#add(route);
  }

  methodsAt(path: string): ReadonlyMap<string, Route> | undefined {
    return this.#paths.get(path);
  }

  #add(route: Route): void {
    const methods = this.#paths.get(route.path) ?? new Map<string, Route>();
    if (methods.has(route.method)) throw new TypeError(`two doors claim ${route.method} ${route.path}`);
    methods.set(route.method, route);
    this.#paths.set(route.path, methods);
  }
}

/** The path without its query. A URL is never built from it, so that no spelling of `Host` can move it. */
export function pathOf(url: string | undefined): string {
  if (url === undefined) return "/";
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}
