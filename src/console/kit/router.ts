/** Which page is shown: the part of the address behind `#`, so that it holds wherever the console is served from. */
import { linkTo, type Route, routeIn } from "./route.ts";
import { Store, useStore } from "./store.ts";

export { linkTo, type Route } from "./route.ts";

const route: Store<Route> = new Store(routeIn(location.hash));
addEventListener("hashchange", () => route.set(routeIn(location.hash)));

export function useRoute(): Route {
  return useStore(route);
}

export function go(page: string, ...parts: readonly string[]): void {
  location.hash = linkTo(page, ...parts);
}
