/**
 * What a message deserves, decided from its bytes by JSON.parse and the specifications alone, so that the product's own
 * reading can be held against it: how often its id must and may come back, and how many answers there must be.
 */
import { isUtf8 } from "node:buffer";

export interface Reading {
  /** How its id is found again, if it has one. */
  readonly key: string | undefined;
  /** Fewest and most answers under its id. */
  readonly own: readonly [number, number];
  /** Fewest and most answers in all; those not under its id come under null. */
  readonly all: readonly [number, number];
}

/** The documented limits of a message from a stranger. */
const DEPTH = 64;
const ELEMENTS = 10_000;

const SILENCE: Reading = { key: undefined, own: [0, 0], all: [0, 0] };
const REFUSED: Reading = { key: undefined, own: [0, 0], all: [1, 1] };
const ANYTHING: Reading = { key: undefined, own: [0, 0], all: [0, 1] };

/** JSON-RPC 2.0 as MCP uses it: ids are strings or numbers, params an object; an array may be a batch. */
export function readRpc(bytes: Buffer): Reading {
  const parsed = parse(bytes);
  if ("elements" in parsed) return readBatch(bytes.toString("utf8"), parsed.elements);
  if (!("value" in parsed)) return parsed.reading;
  const message = parsed.value as Record<string, unknown>;
  const key = Object.hasOwn(message, "id") ? keyOf(message["id"]) : undefined;
  if (isBeyondLimits(parsed.text)) return answeredOnceAs(key);
  const { id, jsonrpc, method, params = {} } = message;
  const isCall = jsonrpc === "2.0" && typeof method === "string" && (params === null || typeof params === "object");
  if (!isCall || id === null) return { key, own: [0, 1], all: [0, 1] };
  if (key === undefined) return SILENCE;
  return typeof id === "string" || typeof id === "number" ? exactly(key) : answeredOnceAs(key);
}

/** Seed 000: calls have an id of any kind but null, a tool's name, and an object of arguments or none. */
export function readLine(bytes: Buffer): Reading | "quit" {
  const parsed = parse(bytes);
  if (!("value" in parsed)) return parsed.reading;
  const message = parsed.value as Record<string, unknown>;
  const { id = null, type, tool, args = {} } = message;
  if (type === "quit") return "quit";
  const key = id === null ? undefined : keyOf(id);
  if (isBeyondLimits(parsed.text)) return answeredOnceAs(key);
  const isCall = type === "call" && typeof tool === "string" && tool !== "" && isObjectOrNull(args);
  return isCall && key !== undefined ? exactly(key) : answeredOnceAs(key);
}

/** The same for two ids exactly if they are the same JSON value. */
export function keyOf(id: unknown): string {
  return typeof id === "number" ? `number ${id}` : `${typeof id} ${shallow(id)}`;
}

/** One answer for all, whether it is the array of theirs or a refusal, unless nothing in it wants any. */
function readBatch(text: string, elements: readonly unknown[]): Reading {
  const wants = (element: unknown): boolean => readRpc(Buffer.from(JSON.stringify(element))).all[0] > 0;
  const isAnswered = elements.length === 0 || isBeyondLimits(text) || elements.some(wants);
  return { ...SILENCE, all: [isAnswered ? 1 : 0, 1] };
}

type Parsed =
  | { readonly text: string; readonly value: object }
  | { readonly reading: Reading }
  | { readonly reading: Reading; readonly elements: readonly unknown[] };

function parse(bytes: Buffer): Parsed {
  if (!isUtf8(bytes)) return { reading: { key: keyDespite(bytes), own: [0, 1], all: [0, 1] } };
  const text = bytes.toString("utf8");
  if (text.trim() === "" || text.startsWith("\ufeff")) return { reading: ANYTHING };
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return { reading: REFUSED, elements: value };
    const isObject = typeof value === "object" && value !== null;
    return isObject ? { text, value } : { reading: REFUSED };
  } catch {
    return { reading: answeredOnceAs(keyAmongRuins(text)) };
  }
}

/** What is refused before its end was read (too deep) may be told under its id, though the rest is no JSON. */
function keyAmongRuins(text: string): string | undefined {
  const id = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|[-\d][-+.\deE]*)/.exec(text)?.[1];
  try {
    return id === undefined ? undefined : keyOf(JSON.parse(id));
  } catch {
    return undefined;
  }
}

/** Text that is not UTF-8 may be refused, or read with its broken characters replaced. */
function keyDespite(bytes: Buffer): string | undefined {
  try {
    const { id } = JSON.parse(bytes.toString("utf8")) as { id?: unknown };
    return id === undefined ? undefined : keyOf(id);
  } catch {
    return keyAmongRuins(bytes.toString("utf8"));
  }
}

function exactly(key: string): Reading {
  return { key, own: [1, 1], all: [1, 1] };
}

function answeredOnceAs(key: string | undefined): Reading {
  return { key, own: [0, 1], all: [1, 1] };
}

function isObjectOrNull(value: unknown): boolean {
  return typeof value === "object" && !Array.isArray(value);
}

/** Nested too deeply, too many parts, a key twice in one object, or a key that reaches for the prototype. */
function isBeyondLimits(text: string): boolean {
  const bones = text.replace(/"(?:[^"\\]|\\.)*"/gs, "");
  const members = count(bones, ":");
  if (depthOf(bones) > DEPTH || members + count(bones, ",") >= ELEMENTS - DEPTH) return true;
  const kept = { members: 0, reaching: false };
  JSON.parse(text, function (this: unknown, key: string, value: unknown) {
    if (key === "__proto__") kept.reaching = true;
    if (!Array.isArray(this)) kept.members += 1;
    return value;
  });
  // The reviver visits a root that is no member, and of a repeated key only the last.
  return kept.reaching || kept.members - 1 < members;
}

function depthOf(bones: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of bones) {
    if (character === "{" || character === "[") deepest = Math.max(deepest, ++depth);
    else if (character === "}" || character === "]") depth--;
  }
  return deepest;
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

/** An id that is nested so deeply that it cannot be written again is known by that. */
function shallow(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "deep";
  }
}
