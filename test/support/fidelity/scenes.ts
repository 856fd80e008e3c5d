/** What is sent through a pair of door and source: a request under some id, a result to answer it with, and odd params. */
import type { Arbitrary } from "fast-check";
import { fc } from "../seed.ts";
import { type Door, ENVELOPE, type Era, type Request } from "./doors.ts";
import { type OddMember, type OddOptions, objectText, oddId, oddMembers, oddSpace, oddValue } from "./odd-json.ts";
import { eraOf, type SourceForm } from "./sources.ts";

export const METHODS = ["tools/call", "prompts/get", "resources/read"] as const;
export type Method = (typeof METHODS)[number];
/** What the echo server is to do. */
export type Word = "say" | "fail" | "heard";

export interface Scene {
  readonly id: string;
  readonly method: Method;
  /** The result that the source is to send. */
  readonly result: string;
  readonly spoken: Spoken;
}

/** Params beside what they are about. */
export interface Spoken {
  readonly extras: readonly OddMember[];
  readonly args: readonly OddMember[];
  readonly meta: readonly OddMember[] | undefined;
  readonly token: string | undefined;
  /** Behind the word in a resource's URI. */
  readonly uriTail: string;
  readonly space: string;
  /** How far the members are moved round. */
  readonly turn: number;
}

export interface Addressed {
  readonly method: Method;
  readonly word: Word;
  readonly source: SourceForm;
}

const PARAMS_KEYS = ["name", "arguments", "uri", "_meta", "text", "inputResponses", "requestState", "task", "cursor"];
const STATELESS_KEYS = ["_meta", "resultType", "ttlMs", "cacheScope", "inputRequests", "requestState"];
const MOST_KEYS = 6;
export const PLAIN: Spoken = {
  extras: [],
  args: [],
  meta: undefined,
  token: undefined,
  uriTail: "",
  space: "",
  turn: 0,
};

export function scenesFor(door: Door, source: SourceForm): Arbitrary<Scene> {
  const result = eraOf(source) === "stateless" ? statelessResult() : anyResult();
  return fc.record({ id: oddId(), method: fc.constantFrom(...METHODS), result, spoken: oddParams(door) });
}

/** Of revisions in which a result says nothing of itself: nearly always an object, as it should be. */
function anyResult(): Arbitrary<string> {
  const object = fc.record({ members: oddMembers({}, ["_meta"]), meta: oddMeta(), space: oddSpace() });
  const result = object.map(({ members, meta, space }) => objectText([...members, ...meta], space));
  return fc.oneof({ arbitrary: result, weight: 40 }, { arbitrary: oddValue(), weight: 1 });
}

/** A result of 2026-07-28: complete, or of an extension that nobody here knows. */
function statelessResult(): Arbitrary<string> {
  const type = fc.constantFrom('"complete"', '"compl\\u0065te"', '"x-odd/thing"');
  const required = type.map((value) => [
    { key: "resultType", value },
    { key: "ttlMs", value: "0" },
    { key: "cacheScope", value: '"private"' },
  ]);
  const parts = fc.record({ required, meta: oddMeta(), members: oddMembers({}, STATELESS_KEYS), space: oddSpace() });
  return parts.chain(({ required, meta, members, space }) => {
    const all: OddMember[] = [...required, ...meta, ...members];
    const shuffled = fc.shuffledSubarray(all, { minLength: all.length });
    return shuffled.map((inOrder) => objectText(inOrder, space));
  });
}

function oddMeta(): Arbitrary<readonly OddMember[]> {
  const meta = fc.tuple(oddMembers(), oddSpace()).map(([members, space]) => objectText(members, space));
  return fc.option(meta, { nil: undefined }).map((value) => (value === undefined ? [] : [{ key: "_meta", value }]));
}

function oddParams(door: Door): Arbitrary<Spoken> {
  // A line ends at a break, wherever it stands.
  const options: OddOptions = { proto: false, breaks: !door.ownProcess };
  const token = fc.constantFrom(undefined, "0", '"t"', '"\\u0074"', "12345678901234567890", "1.0");
  return fc.record({
    extras: oddMembers(options, PARAMS_KEYS),
    args: oddMembers(options, ["text", "together"]),
    meta: fc.option(oddMembers(options, ["progressToken"]), { nil: undefined }),
    token,
    uriTail: fc.constantFrom("", "/a b", "/é漢😀", "?q=%20#x", "/=?base64?eA==?="),
    space: oddSpace(options),
    turn: fc.nat({ max: MOST_KEYS }),
  });
}

/** The request for a word, with the text that goes with it. */
export function requestOf(door: Door, id: string, to: Addressed, spoken: Spoken, text?: string): Request {
  const subject = subjectOf(to, spoken, door.whole);
  const said = text === undefined ? spoken : withText(to.method, spoken, JSON.stringify(text));
  return { id, method: to.method, subject, params: paramsText(to.method, subject, said, door.era) };
}

/** As the source should hear it, if it hears requests of this era: with the hub's own token and under its own name. */
export function paramsAtSource(to: Addressed, spoken: Spoken, era: Era, token: string | undefined): string {
  const own = spoken.token === undefined ? spoken : { ...spoken, token: token ?? "missing" };
  return paramsText(to.method, subjectOf(to, spoken, false), own, era);
}

function subjectOf({ method, word, source }: Addressed, { uriTail }: Spoken, whole = false): string {
  if (method === "resources/read") return `echo://${source.name}/${word}${uriTail}`;
  return whole ? `${source.name}__${word}` : word;
}

function withText(method: Method, spoken: Spoken, value: string): Spoken {
  const member = { key: "text", value };
  if (method === "resources/read") return { ...spoken, extras: [...spoken.extras, member] };
  return { ...spoken, args: [...spoken.args, member] };
}

function paramsText(method: Method, subject: string, spoken: Spoken, era: Era): string {
  const { extras, args, space, turn } = spoken;
  const isResource = method === "resources/read";
  const members: OddMember[] = [
    { key: isResource ? "uri" : "name", value: JSON.stringify(subject) },
    ...(isResource ? [] : [{ key: "arguments", value: objectText(args, space) }]),
    ...metaMember(spoken, era),
    ...extras,
  ];
  const at = turn % members.length;
  return objectText([...members.slice(at), ...members.slice(0, at)], space);
}

function metaMember({ meta, token, space, turn }: Spoken, era: Era): OddMember[] {
  const isStateless = era === "stateless";
  if (meta === undefined && token === undefined && !isStateless) return [];
  const own = [...(meta ?? []), ...(token === undefined ? [] : [{ key: "progressToken", value: token }])];
  const envelope = isStateless ? ENVELOPE : [];
  const members = turn % 2 === 0 ? [...envelope, ...own] : [...own, ...envelope];
  return [{ key: "_meta", value: objectText(members, space) }];
}
