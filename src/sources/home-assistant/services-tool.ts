/** The tool that tells what services there are: all by name, those of a domain with their fields in brief, one whole. */
import { isObject } from "../../contract/rules.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import { type Fields, Refusal, type Told } from "../shared/tool-call.ts";
import { printed, type Tool } from "./house.ts";
import { EVERYTHING, listed } from "./reading-tools.ts";
import { domainsOf, type ServiceTable } from "./services.ts";

/** Of what is told for programs; the text beside it has about half of that. */
const MOST_CHARACTERS = 6_000;

export const getServices: Tool = async ({ services }, { args, language, signal }) => {
  const domain = args.text("domain").toLowerCase();
  const service = args.text("service").toLowerCase();
  const all = await services.ask(signal);
  if (EVERYTHING.has(domain)) return told(namesOf(all), printed(namesOf(all)), language);
  const own = Object.hasOwn(all, domain) ? all[domain] : undefined;
  if (!own) {
    const advice = say(language, "home.domains", { names: listed(Object.keys(all)) });
    throw new Refusal(say(language, "home.unknownDomain", { domain }), advice);
  }
  return service === "" ? inBrief(domain, own, language) : whole(domain, own, service, language);
};

/** The services of a domain; without descriptions where they would be too long. */
function inBrief(domain: string, own: Fields, language: Language): Told {
  const full = mapped(own, briefly);
  const isShort = JSON.stringify(full).length <= MOST_CHARACTERS;
  const brief = isShort ? full : mapped(full, withoutDescriptions);
  const lines = Object.entries(brief).map(([name, service]) => line(`${domain}.${name}`, service, language));
  const note = isShort ? undefined : say(language, "home.servicesCut");
  return { ...told({ [domain]: brief }, lines.join("\n"), language), note };
}

function whole(domain: string, own: Fields, name: string, language: Language): Told {
  const service = Object.hasOwn(own, name) ? own[name] : undefined;
  if (!isObject(service)) {
    const advice = say(language, "home.servicesOf", { domain, names: listed(Object.keys(own)) });
    throw new Refusal(say(language, "home.unknownService", { service: `${domain}.${name}` }), advice);
  }
  const words = line(`${domain}.${name}`, briefly(service), language, true);
  return told({ [domain]: { [name]: service } }, words, language);
}

function told(services: object, json: string, language: Language): Told {
  return { text: say(language, "home.services", { json }), structured: { services } };
}

function namesOf(services: ServiceTable): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(services).map(([domain, own]) => [domain, Object.keys(own)]));
}

function mapped(
  own: Readonly<Record<string, unknown>>,
  change: (service: Fields) => BriefService,
): Readonly<Record<string, BriefService>> {
  return Object.fromEntries(
    Object.entries(own).map(([name, service]) => [name, change(isObject(service) ? service : {})]),
  );
}

/**
 * A service as short as it can be told to somebody who wants to call it: what it does, what it acts on, and of each
 * field what it may hold. Home Assistant's own description is made for a form on a page, and many times as long. Pure.
 */
interface BriefService {
  readonly description?: unknown;
  /** The domains of the entities that it acts on; absent if it needs no target. */
  readonly target?: readonly string[];
  readonly fields: Readonly<Record<string, BriefField>>;
  readonly [more: string]: unknown;
}

interface BriefField {
  readonly description?: unknown;
  readonly required?: true;
  /** What it may hold: `0–255`, `long | short`, `true | false`, or the name of a kind. */
  readonly values?: string;
  readonly example?: unknown;
}

/** A list of all colours that have a name is nothing to read. */
const MOST_OPTIONS = 12;

export function briefly(service: Fields): BriefService {
  const { description, response, fields } = service;
  const target = domainsOf(service);
  const told = Object.entries(flat(fields)).map(([name, field]) => [name, fieldOf(field)]);
  return {
    ...(typeof description === "string" && description !== "" && { description }),
    ...(target && { target }),
    ...(isObject(response) && { response }),
    fields: Object.fromEntries(told),
  };
}

function withoutDescriptions(service: Fields): BriefService {
  const fields = Object.entries(flat(service["fields"])).map(([name, { description: _, ...field }]) => [name, field]);
  return { ...service, fields: Object.fromEntries(fields) };
}

/** `light.turn_on (acts on light): Turns on … brightness (0–255), flash (long | short)` */
export function line(name: string, service: BriefService, language: Language, isWhole = false): string {
  const { description, target, fields } = service;
  const domains = target?.join(", ") || "*";
  const acts = target ? ` (${say(language, "home.needsTarget", { domains })})` : "";
  const words = Object.entries(fields).map(([field, { description: more, required, values, example }]) => {
    const said = [
      required && say(language, "home.required"),
      values,
      example !== undefined && say(language, "home.example", { example: text(example) }),
    ];
    const about = said.filter((each) => typeof each === "string").join("; ");
    return `${field}${about && ` (${about})`}${isWhole && more ? `: ${more}` : ""}`;
  });
  const taken = isWhole
    ? words.map((word) => `\n  ${word}`).join("")
    : words.length > 0
      ? `\n  ${words.join(", ")}`
      : "";
  return `${name}${acts}: ${description ?? "–"}${taken}`;
}

/** Newer versions of Home Assistant group rarely used fields in sections. */
function flat(fields: unknown): Readonly<Record<string, Fields>> {
  const all = Object.entries(isObject(fields) ? fields : {}).flatMap(([name, field]): [string, Fields][] => {
    if (!isObject(field)) return [];
    return isObject(field["fields"]) ? Object.entries(flat(field["fields"])) : [[name, field]];
  });
  return Object.fromEntries(all);
}

function fieldOf({ description, required, example, selector }: Fields): BriefField {
  const kind = valuesOf(selector);
  // That it is an object says less than any example.
  const values = kind === "object" && example !== undefined ? undefined : kind;
  return {
    ...(typeof description === "string" && description !== "" && { description }),
    ...(required === true && { required }),
    ...(values !== undefined && { values }),
    ...(example !== undefined && example !== null && { example }),
  };
}

function valuesOf(selector: unknown): string | undefined {
  const [kind, options] = Object.entries(isObject(selector) ? selector : {})[0] ?? [];
  const {
    min,
    max,
    unit_of_measurement: unit,
    unit: otherUnit,
    options: choices,
    value,
  } = isObject(options) ? options : {};
  if (kind === "boolean") return "true | false";
  if (kind === "constant") return text(value);
  if (min !== undefined && max !== undefined) return `${min}–${max} ${unit ?? otherUnit ?? ""}`.trim();
  if (!Array.isArray(choices)) return kind;
  const names = choices.map((choice) => text(isObject(choice) ? choice["value"] : choice));
  return `${names.slice(0, MOST_OPTIONS).join(" | ")}${names.length > MOST_OPTIONS ? " | …" : ""}`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
