/** A REST door whose endpoints are known by their places alone until somebody asks for one, or for their description. */
import type { Gateway } from "../../core/gateway.ts";
import type { Door, DoorContext, Exchange, Route } from "../door.ts";
import type { Right } from "../rights.ts";
import { sendProblem } from "./problem.ts";
import { type RestRoute, restDoor } from "./route.ts";

type Place = readonly [method: Route["method"], path: string, needs: Right];

/** Doors that are not loaded yet, by their hub. */
const UNLOADED = new WeakMap<Gateway, Set<() => Promise<unknown>>>();

export function lazyRestDoor(
  context: DoorContext,
  name: string,
  places: readonly Place[],
  load: () => Promise<readonly RestRoute[]>,
): Door {
  let door: Promise<Door> | undefined;
  const open = (): Promise<Door> => {
    door ??= load().then((routes) => restDoor(context, name, routes, (route) => rightOf(route, places)));
    return door;
  };
  const unloaded = UNLOADED.get(context.gateway) ?? new Set();
  UNLOADED.set(context.gateway, unloaded.add(open));
  const handle = async (exchange: Exchange, [method, path]: Place): Promise<void> => {
    const { routes } = await open();
    await routes.find((route) => route.method === method && route.path === path)?.handle(exchange);
  };
  return {
    name,
    routes: places.map((place) => ({
      method: place[0],
      path: place[1],
      needs: place[2],
      handle: (exchange) => handle(exchange, place),
      fail: sendProblem,
    })),
  };
}

/** Said once, at its place. */
function rightOf({ method, path }: RestRoute, places: readonly Place[]): Right {
  const place = places.find((one) => one[0] === method && one[1] === path);
  if (!place) throw new TypeError(`${method} ${path} has no place`);
  return place[2];
}

/** So that what they do can be described. */
export async function loadAll(hub: Gateway): Promise<void> {
  await Promise.all([...(UNLOADED.get(hub) ?? [])].map((open) => open()));
}
