/**
 * A service as short as it can be told to somebody who wants to call it: what it does, what it acts on, and of each field
 * what it may hold. Home Assistant's own description is made for a form on a page, and many times as long. Pure.
 */
import { type Language, say } from "../../messages/catalogue.ts";
import { type Fields, isFields } from "../shared/arguments.ts";
import { domainsOf } from "./services.ts";

export interface BriefService {
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
    ...(isFields(response) && { response }),
    fields: Object.fromEntries(told),
  };
}

export function withoutDescriptions(service: Fields): BriefService {
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

/** Newer ones gather fields that are seldom used in sections. */
function flat(fields: unknown): Readonly<Record<string, Fields>> {
  const all = Object.entries(isFields(fields) ? fields : {}).flatMap(([name, field]): [string, Fields][] => {
    if (!isFields(field)) return [];
    return isFields(field["fields"]) ? Object.entries(flat(field["fields"])) : [[name, field]];
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
  const [kind, options] = Object.entries(isFields(selector) ? selector : {})[0] ?? [];
  const {
    min,
    max,
    unit_of_measurement: unit,
    unit: otherUnit,
    options: choices,
    value,
  } = isFields(options) ? options : {};
  if (kind === "boolean") return "true | false";
  if (kind === "constant") return text(value);
  if (min !== undefined && max !== undefined) return `${min}–${max} ${unit ?? otherUnit ?? ""}`.trim();
  if (!Array.isArray(choices)) return kind;
  const names = choices.map((choice) => text(isFields(choice) ? choice["value"] : choice));
  return `${names.slice(0, MOST_OPTIONS).join(" | ")}${names.length > MOST_OPTIONS ? " | …" : ""}`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
