/**
 * The house's own configuration file, as seed 000 has it: `lights`, `alarm_default`, `presence_default`, in YAML or in
 * JSON, which is YAML too. A file that is not there is made.
 */
import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { LineCounter, parseDocument, stringify } from "yaml";
import { ConfigError } from "../config/config-error.ts";
import { readConfigText } from "../config/config-file.ts";
import type { HouseConfig } from "../config/types.ts";
import { isObject } from "../contract/rules.ts";

interface HouseFile {
  readonly config: HouseConfig;
  /** The file was missing and has been made. */
  readonly created: boolean;
  /** Keys that mean nothing to us, as they meant nothing to the original. */
  readonly unknown: readonly string[];
}

type Form = Readonly<Record<string, unknown>>;

const ORIGINAL = {
  lights: ["salon", "cocina", "dormitorio", "bano", "garage"],
  alarm_default: false,
  presence_default: { present: false, known_people: [] },
};

export const ORIGINAL_HOUSE: HouseConfig = toHouse(ORIGINAL, "config.yaml");

/** Throws a ConfigError with one line for a person. */
export function openHouseFile(file: string): HouseFile {
  const text = readConfigText(file);
  if (text !== undefined) return readHouse(text, file);
  try {
    const original = file.endsWith(".json") ? `${JSON.stringify(ORIGINAL, null, 2)}\n` : stringify(ORIGINAL);
    writeFileSync(file, original, { flag: "wx" });
  } catch (cause) {
    throw new ConfigError(`${basename(file)}: cannot be created: ${(cause as NodeJS.ErrnoException).code}`, cause);
  }
  return { config: ORIGINAL_HOUSE, created: true, unknown: [] };
}

/** The original reads `config.yaml` unasked. So do we, if there is one and it describes a house: others use that name too. */
export function findHouseFile(file = "config.yaml"): HouseConfig | undefined {
  try {
    const form = parsed(readConfigText(file) ?? "", file);
    return isObject(form) && Array.isArray(form["lights"]) ? toHouse(form, file) : undefined;
  } catch {
    return undefined;
  }
}

function readHouse(text: string, file: string): HouseFile {
  const name = basename(file);
  const form = parsed(text, name) ?? {};
  if (!isObject(form)) throw new ConfigError(`${name}: expected ${Object.keys(ORIGINAL).join(", ")}`);
  const unknown = Object.keys(form).filter((key) => !Object.hasOwn(ORIGINAL, key));
  return { config: toHouse(form, name), created: false, unknown };
}

function toHouse(form: Form, name: string): HouseConfig {
  const presence = form["presence_default"] ?? {};
  if (!isObject(presence)) throw new ConfigError(`${name}: presence_default: expected present and known_people`);
  const lights = names(form["lights"], ORIGINAL.lights, `${name}: lights`);
  if (new Set(lights).size < lights.length) throw new ConfigError(`${name}: lights: names a light twice`);
  return {
    lights,
    alarmDefault: flag(form["alarm_default"], `${name}: alarm_default`),
    presenceDefault: {
      present: flag(presence["present"], `${name}: presence_default.present`),
      knownPeople: names(presence["known_people"], [], `${name}: presence_default.known_people`),
    },
  };
}

/** Not pretty errors: those quote the file over several lines. */
function parsed(text: string, name: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
  const [mistake] = document.errors;
  if (mistake) {
    const { line, col } = lines.linePos(mistake.pos[0]);
    throw new ConfigError(`${name}: line ${line}, column ${col}: ${mistake.message}`);
  }
  try {
    return document.toJS();
  } catch (cause) {
    throw new ConfigError(`${name}: ${(cause as Error).message}`, cause);
  }
}

function flag(value: unknown, where: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === "boolean") return value;
  throw new ConfigError(`${where}: expected true or false`);
}

/** Numbers are accepted too: a light called 1 is written without quotes. */
function names(value: unknown, otherwise: readonly string[], where: string): readonly string[] {
  if (value === undefined || value === null) return otherwise;
  const list = Array.isArray(value) ? value.map((name) => (typeof name === "number" ? String(name) : name)) : [];
  const isFine =
    Array.isArray(value) && list.every((name) => typeof name === "string" && /^[^\p{Cc}]{1,64}$/u.test(name));
  if (!isFine) throw new ConfigError(`${where}: expected a list of names`);
  return list;
}
