/**
 * A simulated Home Assistant, for ordinary tests: real sockets, the wire of the real one, and services that change its
 * states. What it says was compared with Home Assistant 2024.3.3; `version` makes it speak like that one or like a new one.
 */
import { randomBytes } from "node:crypto";
import { HomeEvent } from "./bus.ts";
import type { Registered } from "./furniture.ts";
import { House, type SeenCall } from "./house.ts";
import { HomeServer } from "./server.ts";
import type { Attributes } from "./state.ts";
import { CURRENT } from "./version.ts";

export interface HomeOptions {
  /** 0, or none, for a free one. */
  readonly port?: number | undefined;
  readonly token?: string | undefined;
  /** How many more sensors there are, `sensor.extra_1` and so on. */
  readonly entities?: number | undefined;
  readonly version?: string | undefined;
  /** Commands that the owner of the token may not give at first. */
  readonly refuses?: readonly string[] | undefined;
  /** False: never sends several messages as one array, even if the client can read that. */
  readonly coalesce?: boolean | undefined;
}

export interface SimulatedHome {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly version: string;
  state(entityId: string): { readonly state: string; readonly attributes: Attributes } | undefined;
  /** As if the device itself had said so; a new one is added. Without attributes it keeps those that it has. */
  setState(entityId: string, state: string, attributes?: Attributes): void;
  removeState(entityId: string): void;
  /** As if an integration had given one that is there an id of its own. */
  register(entityId: string, more?: Pick<Registered, "area" | "category">): void;
  /** Every service call that came over the wire, also those that were refused. */
  readonly services: readonly SeenCall[];
  /** Commands that the owner of the token may not give now. */
  readonly refused: Set<string>;
  /** The types of all commands that came over sockets. */
  readonly commands: readonly string[];
  /** What was written of automations, by id. */
  readonly automations: ReadonlyMap<string, object>;
  /** Open WebSockets. */
  readonly connections: number;
  /** How many want to be told of events of this type; of states some do inside of the house. */
  listeners(eventType: string): number;
  /** Cuts every connection without a word. */
  dropSockets(): void;
  /** A black hole: connections are accepted, nothing is answered. WebSockets that were in it stay dead. */
  mute(on: boolean): void;
  stop(): Promise<void>;
}

export async function startHomeAssistant(options: HomeOptions = {}): Promise<SimulatedHome> {
  const {
    port = 0,
    token = randomBytes(24).toString("hex"),
    entities = 0,
    version = CURRENT,
    coalesce = true,
    refuses,
  } = options;
  const house = new House(version, entities, refuses);
  const server = new HomeServer(house, { port, token, coalesce });
  const listening = await server.listen();
  return {
    url: `http://127.0.0.1:${listening}`,
    port: listening,
    token,
    version,
    state(entityId) {
      const found = house.states.get(entityId);
      return found && { state: found.value, attributes: found.attributes };
    },
    setState: (entityId, state, attributes) => setState(house, entityId, state, attributes),
    removeState: (entityId) => void house.states.remove(entityId),
    register: (entityId, more) => register(house, entityId, more),
    services: house.seen,
    refused: house.refused,
    commands: house.commands,
    automations: house.automations.configs,
    get connections() {
      return server.wires.webSockets;
    },
    listeners: (eventType) => house.bus.count(eventType),
    dropSockets: () => server.wires.cut(),
    mute: (on) => server.wires.mute(on),
    stop: () => server.close(),
  };
}

function setState(house: House, entityId: string, state: string, attributes?: Attributes): void {
  house.reachable.add(entityId);
  house.states.set(entityId, state, attributes ?? house.states.get(entityId)?.attributes ?? {});
}

function register(house: House, entityId: string, more: Pick<Registered, "area" | "category"> = {}): void {
  const { value: state = "unknown", attributes = {} } = house.states.get(entityId) ?? {};
  const registered = { platform: "mqtt", uniqueId: entityId, ...more };
  house.registries.add({ id: entityId, state, attributes, registered });
  house.bus.fire(new HomeEvent("entity_registry_updated", { action: "create", entity_id: entityId }));
}
