/**
 * A call's arguments: read, checked before anything is sent, and refused in the caller's language. Integers that
 * JavaScript cannot hold (ids of some APIs) are kept as they were written, so that they leave with the same digits.
 */
import { isObject } from "../../contract/rules.ts";
import { type Delivery, ZaguanError } from "../../errors.ts";
import { type Language, type MessageKey, type MessageParams, say } from "../../messages/catalogue.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { withMember, withoutMembers } from "../../protocol/json/text-edit.ts";
import type { ApiOperation } from "./operation.ts";

export type Arguments = Readonly<Record<string, unknown>>;

interface RawNumber {
  readonly rawJSON: string;
}

/** Newer than the types that we compile with. */
const EXACT = JSON as unknown as {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
};

const MAYBE_LARGE = /[0-9]{16}/;
/** Characters; to look at every value takes its time. */
const MOST_EXACT = 2_097_152;

export function argumentsIn(args: Payload): Arguments {
  const value = MAYBE_LARGE.test(args.text) ? parseExactly(args.text) : args.value;
  if (value === null || value === undefined) return {};
  if (!isFields(value)) throw wrongArgument("api.argumentsObject");
  return value;
}

/** Only what is there by itself: `constructor` is no argument that anybody gave. */
export function argumentOf(args: Arguments, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !EXACT.isRawJSON(value);
}

/** As a plain value is written where there is no JSON around it. */
export function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  return EXACT.isRawJSON(value) ? value.rawJSON : (JSON.stringify(value) ?? "");
}

/** Such an integer as the nearest number that JavaScript has; anything else as it is. */
export function plainNumber(value: unknown): unknown {
  return EXACT.isRawJSON(value) ? Number(value.rawJSON) : value;
}

/** The value of a JSON text with its integers as they were written; `value` is what JavaScript makes of it. */
export function exactValue(text: string, value: unknown): unknown {
  return text.length <= MOST_EXACT && MAYBE_LARGE.test(text) ? parseExactly(text) : value;
}

function parseExactly(text: string): unknown {
  return EXACT.parse(text, (_key, value, { source }) => {
    const isInexact = typeof value === "number" && /^-?[0-9]+$/.test(source ?? "") && !Number.isSafeInteger(value);
    return isInexact ? EXACT.rawJSON(source ?? "0") : value;
  });
}

type ReadArguments = (tool: string, args: Payload) => Payload;
type Kinds = ReadonlyMap<string, "array" | "object">;

/**
 * Reads arguments as HandsAI's clients write them, for operations that take them so: a list or an object may come as a
 * text of JSON, since some clients have nothing but texts, and null is said of what is not given. Undefined where no
 * operation needs it.
 */
export function jsonTextReader(operations: readonly ApiOperation[]): ReadArguments | undefined {
  const byTool = new Map(operations.filter(({ jsonText }) => jsonText).map((each) => [each.name, kindsOf(each)]));
  if (byTool.size === 0) return undefined;
  return (tool, args) => {
    const kinds = byTool.get(tool);
    return kinds ? read(args, kinds) : args;
  };
}

function kindsOf({ inputSchema }: ApiOperation): Kinds {
  const { properties } = inputSchema;
  const entries = isFields(properties) ? Object.entries(properties) : [];
  const kinds = new Map<string, "array" | "object">();
  for (const [name, property] of entries) {
    const type = isFields(property) ? property["type"] : undefined;
    if (type === "array" || type === "object") kinds.set(name, type);
  }
  return kinds;
}

/** As it was written inside of the text, so that large numbers stay what they are. */
function read(args: Payload, kinds: Kinds): Payload {
  const { value } = args;
  if (!isFields(value)) return args;
  let text = Object.values(value).includes(null)
    ? withoutMembers(args.text, (name) => value[name] === null)
    : args.text;
  for (const [name, kind] of kinds) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (typeof given === "string" && isJsonOf(kind, given)) text = withMember(text, name, given.trim());
  }
  return text === args.text ? args : Payload.ofText(text);
}

function isJsonOf(kind: "array" | "object", text: string): boolean {
  if (!text.trimStart().startsWith(kind === "array" ? "[" : "{")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export interface JsonAnswer {
  readonly text: string;
  readonly value: unknown;
}

/** Throws if the path is none; what it gives back throws if it would be too much to select. */
export type Picker = (path: string) => (answer: JsonAnswer) => string;
export type LoadPicker = () => Promise<Picker>;

/** `_pick`: a caller's JSONPath, refused before anything is sent if it is none. */
export async function pickFor(path: unknown, load: LoadPicker): Promise<(answer: JsonAnswer) => string> {
  const pick = typeof path === "string" ? compiled(await load(), path) : undefined;
  if (!pick) throw wrongArgument("api.pickForm");
  return (answer) => {
    try {
      return pick(answer);
    } catch {
      throw new Refusal("api.pickTooMuch", {}, "executed");
    }
  };
}

function compiled(picker: Picker, path: string): ReturnType<Picker> | undefined {
  try {
    return picker(path);
  } catch {
    return undefined;
  }
}

/** Arguments that cannot be sent. The reason is in English until somebody who knows the caller's language says it again. */
export class Refusal extends ZaguanError {
  readonly #key: MessageKey;
  readonly #params: MessageParams;

  constructor(key: MessageKey, params: MessageParams, delivery: Delivery, language: Language = "en") {
    super("INVALID_ARGUMENT", { params: { reason: say(language, key, params) }, delivery });
    this.#key = key;
    this.#params = params;
  }

  in(language: Language): Refusal {
    return new Refusal(this.#key, this.#params, this.details.delivery ?? "not_sent", language);
  }
}

export function wrongArgument(key: MessageKey, params: MessageParams = {}): Refusal {
  return new Refusal(key, params, "not_sent");
}

export function missingArgument(argument: string): Refusal {
  return wrongArgument("argument.missingOne", { names: argument });
}
