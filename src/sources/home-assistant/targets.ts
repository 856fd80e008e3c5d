/**
 * What a service call is aimed at. It is said in one place only (whoever fixed one for an agent meant no other), every name
 * in it is known to the house, and areas may be called by their names. Home Assistant itself passes over what it does not
 * know, and says that all went well.
 */
import { say } from "../../messages/catalogue.ts";
import { type Arguments, type Fields, Refusal, type ToolCall } from "../shared/tool-call.ts";
import { orStopped } from "../waiters.ts";
import type { House } from "./house.ts";
import { domainOf } from "./live-states.ts";
import { unknownEntity } from "./reading-tools.ts";
import { areaOf, type Layout } from "./registries.ts";
import { domainsOf } from "./services.ts";

export interface Aim {
  /** As Home Assistant wants it; undefined where nothing is aimed at. */
  readonly target?: Fields | undefined;
  /** The rest of the caller's data. */
  readonly data: Fields;
  /** The entities that it should reach, as far as that can be told. */
  readonly reached: readonly string[];
  /** Domains of which nothing stands where it is aimed. */
  readonly missing?: string | undefined;
}

const NAMED = ["entity_id", "device_id", "area_id", "floor_id", "label_id"] as const;
type Named = (typeof NAMED)[number];
type Place = Readonly<Record<Named, readonly string[]>>;

const NOWHERE: Place = { entity_id: [], device_id: [], area_id: [], floor_id: [], label_id: [] };
/** Home Assistant's words for every entity of the domain, and for none. */
const WILDCARDS: ReadonlySet<string> = new Set(["all", "none"]);
/** Stands for its members, of whatever domain. */
const GROUP = "group";

/** @param described the service, as the house describes it */
export async function aimOf(house: House, call: ToolCall, name: string, described: Fields | undefined): Promise<Aim> {
  const [target, data] = [call.args.object("target") ?? {}, call.args.object("data") ?? {}];
  const domains = domainsOf(described);
  const said = onlyPlace(call, placesIn(call.args, domains !== undefined));
  const isByPlace = said.area_id.length + said.device_id.length > 0;
  const isTold = said.floor_id.length + said.label_id.length === 0;
  const layout = isByPlace ? await orStopped(house.registries.read(), call.signal) : undefined;
  const place = spelled(house, call, said, layout);
  for (const id of place.entity_id) suits(id, name, domains ?? [], call);
  const aim = { ...without(target), ...named(place) };
  const reached = reachedBy(house, name, place, layout, domains ?? []);
  return {
    target: Object.keys(aim).length > 0 ? aim : undefined,
    data: domains || Object.keys(aim).length > 0 ? without(data) : data,
    reached,
    missing: (isByPlace && isTold && reached.length === 0 && domains?.join(", ")) || undefined,
  };
}

/** A service that is aimed at nothing may have fields of its own by these names. */
function placesIn(args: Arguments, hasTarget: boolean): readonly (readonly [string, Place])[] {
  const places: readonly (readonly [string, Place])[] = [
    ["entity_id", { ...NOWHERE, entity_id: args.names("entity_id") }],
    ["area", { ...NOWHERE, area_id: args.names("area") }],
    ["target", placeIn(args.within("target"))],
  ];
  const given = places.filter(([, place]) => isSomewhere(place));
  const data = hasTarget || given.length > 0 ? placeIn(args.within("data")) : NOWHERE;
  return isSomewhere(data) ? [...given, ["data", data]] : given;
}

function isSomewhere(place: Place): boolean {
  return Object.values(place).some((names) => names.length > 0);
}

function placeIn(args: Arguments): Place {
  return Object.fromEntries(NAMED.map((name) => [name, args.names(name)])) as Record<Named, readonly string[]>;
}

/** Several places may say the same. */
function onlyPlace({ language }: ToolCall, given: readonly (readonly [string, Place])[]): Place {
  const different = new Map(given.map(([, place]) => [JSON.stringify(place), place]));
  const [place = NOWHERE, another] = different.values();
  if (!another) return place;
  const said = given.map(([name]) => name).join(", ");
  throw new Refusal(say(language, "home.targetsTwice", { places: said }), say(language, "home.targetsOnce"));
}

/** All ids as the house spells them. */
function spelled({ states }: House, call: ToolCall, place: Place, layout: Layout | undefined): Place {
  const idOf = (id: string): string | undefined =>
    WILDCARDS.has(id.toLowerCase()) ? id.toLowerCase() : states.find(id)?.entity_id;
  const unknown = place.entity_id.filter((id) => idOf(id) === undefined);
  if (unknown.length > 0) throw unknownEntity(states, unknown, call);
  const stranger = place.device_id.find((id) => !layout?.entitiesOf(id));
  if (stranger !== undefined) throw unknownDevice(stranger, call);
  const area_id = place.area_id.map((area) => areaOf(layout?.areas ?? [], area, call).id);
  return { ...place, entity_id: place.entity_id.flatMap((id) => idOf(id) ?? []), area_id };
}

function unknownDevice(device: string, { language }: ToolCall): Refusal {
  return new Refusal(say(language, "home.unknownDevice", { device }), say(language, "home.devicesById"));
}

/** Of its own entities alone a domain can be sure. */
function suits(entity: string, service: string, domains: readonly string[], { language }: ToolCall): void {
  const domain = domainOf(entity);
  if (WILDCARDS.has(entity) || domain === GROUP) return;
  if (!domains.includes(domainOf(service)) || domains.includes(domain)) return;
  const words = say(language, "home.notForService", { service, entity, domains: domains.join(", ") });
  throw new Refusal(words, say(language, "home.ownDomain", { domain }));
}

/** By its area only what is shown is reached; which domains a service means that names none, nobody can tell. */
function reachedBy(
  { states }: House,
  service: string,
  { entity_id: ids, device_id: devices, area_id: areas }: Place,
  layout: Layout | undefined,
  domains: readonly string[],
): readonly string[] {
  const ofDevices = new Set(devices.flatMap((id) => layout?.entitiesOf(id) ?? []));
  const isThere = (id: string): boolean =>
    ofDevices.has(id) || (layout?.isShown(id) === true && areas.includes(layout.placeOf(id)?.id ?? ""));
  const isMeant = (id: string): boolean =>
    ids.includes(id) ||
    (ids.includes("all") && domainOf(id) === domainOf(service)) ||
    (domains.includes(domainOf(id)) && isThere(id));
  return [...states.all()].map(({ entity_id }) => entity_id).filter(isMeant);
}

/** A wildcard stands alone. */
function named(place: Place): Fields {
  const wildcard = place.entity_id.find((id) => WILDCARDS.has(id));
  const given = Object.entries(place).filter(([, names]) => names.length > 0);
  return { ...Object.fromEntries(given), ...(wildcard && { entity_id: wildcard }) };
}

function without(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !NAMED.some((each) => each === name)));
}
