/**
 * An OpenAPI document that has been read and found fit to look into: 3.0 or 3.1, not too deep, not too much, and with no
 * reference that leaves it.
 */
import { isObject } from "../contract/rules.ts";
import { READ_LIMITS, type ReadLimits } from "./limits.ts";
import { type Form, fault, member, textAt, wordOf } from "./lookup.ts";
import { readYaml } from "./yaml-tree.ts";

export interface OpenApiDocument {
  readonly root: Form;
  /** 3.0 has schemas of its own kind, 3.1 has JSON Schema. */
  readonly dialect: "3.0" | "3.1";
  readonly limits: ReadLimits;
}

/** JSON or YAML. Throws INVALID_PARAMS with a reason that names the place. */
export function readDocument(text: string, limits: Partial<ReadLimits> = {}): OpenApiDocument {
  const bounds = { ...READ_LIMITS, ...limits };
  const root = parseText(text, bounds);
  if (!isObject(root)) throw fault("", "is not an object");
  const dialect = dialectOf(root);
  new Inspection(bounds).look(root, "", false);
  return { root, dialect, limits: bounds };
}

function dialectOf(root: Form): OpenApiDocument["dialect"] {
  const version = wordOf(member(root, "openapi")) ?? "";
  if (/^3\.0(\.|$)/.test(version)) return "3.0";
  // 3.2 adds to 3.1 and takes nothing away.
  if (/^3\.[12](\.|$)/.test(version)) return "3.1";
  if (Object.hasOwn(root, "swagger")) throw fault("swagger", "Swagger 2.0 is not read; convert it to OpenAPI 3 first");
  if (version === "") throw fault("openapi", "is missing: this is no OpenAPI 3 document");
  throw fault("openapi", `version ${version} is not read; 3.0 and 3.1 are`);
}

/** Members that hold somebody's data, in which `$ref` is only a word. */
const DATA = new Set(["example", "examples", "default", "enum", "const"]);
/** Members that hold names of somebody's choice, so that `example` is a name there. */
const NAMES = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "schemas",
  "parameters",
  "headers",
  "requestBodies",
]);

/** One walk over everything, before anything else walks: afterwards recursion is safe. */
class Inspection {
  readonly #limits: ReadLimits;
  readonly #path: string[] = [];
  #parts = 0;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  look(value: unknown, key: string, data: boolean): void {
    this.#count(1);
    if (typeof value !== "object" || value === null) return;
    if (this.#path.length >= this.#limits.depth) {
      throw fault(this.#place(), `is nested deeper than ${this.#limits.depth} levels`);
    }
    if (Array.isArray(value)) this.#count(value.length);
    else if (!data) this.#checkReference(value as Form);
    for (const [name, each] of Object.entries(value)) {
      if (typeof each !== "object" || each === null) continue;
      this.#path.push(name);
      this.look(each, name, data || ((DATA.has(name) || name.startsWith("x-")) && !NAMES.has(key)));
      this.#path.pop();
    }
  }

  #count(parts: number): void {
    this.#parts += parts;
    if (this.#parts > this.#limits.parts) throw fault("", `has more than ${this.#limits.parts} parts`);
  }

  #checkReference(value: Form): void {
    const reference = textAt(value, "$ref");
    if (reference === undefined || reference.startsWith("#")) return;
    throw fault(
      this.#place(),
      `refers to another document (${JSON.stringify(reference)}), and nothing is fetched: bundle it into one document first`,
    );
  }

  #place(): string {
    return this.#path.join(".");
  }
}

/** The text to plain values; opens no file and no socket. */
function parseText(text: string, limits: ReadLimits): unknown {
  const bytes = text.length > limits.bytes ? text.length : Buffer.byteLength(text);
  if (bytes > limits.bytes) throw fault("", `is larger than ${megabytes(limits.bytes)}`);
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (body.trim() === "") throw fault("", "is empty");
  if (/^\s*\{/.test(body)) return readJson(body, limits);
  if (bytes > limits.yamlBytes) {
    throw fault("", `is larger than ${megabytes(limits.yamlBytes)}, the most for YAML; as JSON it may be larger`);
  }
  return readYaml(body, limits);
}

function readJson(text: string, limits: ReadLimits): unknown {
  if (isDeeper(text, limits.depth)) throw fault("", `is nested deeper than ${limits.depth} levels`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fault("", `is not JSON: ${cause instanceof Error ? cause.message : "unreadable"}`);
  }
}

function megabytes(bytes: number): string {
  return bytes < 1_000_000 ? `${bytes} bytes` : `${bytes / 1_000_000} MB`;
}

/** Depth is counted before the text is parsed: four million levels would take seconds and half a gigabyte. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--;
    if (depth > most) return true;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
  return at;
}

const [QUOTE, BACKSLASH, OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];
