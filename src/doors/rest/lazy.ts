/** A REST door whose endpoints are known by their places alone until somebody asks for one, or for their description. */
import type { Method, Right } from "../../contract/operation.ts";
import type { Gateway } from "../../core/gateway.ts";
import type { Door, DoorContext, Exchange } from "../door.ts";
import { sendProblem } from "./problem.ts";
import { type RestRoute, restDoor } from "./route.ts";

type Place = readonly [method: Method, path: string, needs: Right];

/** Doors that are not loaded yet, by their hub. */
const UNLOADED = new WeakMap<Gateway, Set<() => Promise<unknown>>>();

export function lazyRestDoor(
  context: DoorContext,
  name: string,
  places: Readonly<Record<string, Place>>,
  load: () => Promise<readonly RestRoute[]>,
): Door {
  let door: Promise<Door> | undefined;
  const open = (): Promise<Door> => {
    door ??= load().then((routes) => restDoor(context, name, routes));
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
    routes: Object.values(places).map((place) => ({
      method: place[0],
      path: place[1],
      needs: place[2],
      handle: (exchange) => handle(exchange, place),
      fail: sendProblem,
    })),
  };
}

/** So that what they do can be described. */
export async function loadAll(hub: Gateway): Promise<void> {
  await Promise.all([...(UNLOADED.get(hub) ?? [])].map((open) => open()));
}
