/** Judges what arrived: the very characters that were sent, and nothing else but what the other era needs. */
import assert from "node:assert/strict";
import { type Cut, cut, memberText } from "../echo-servers/cut.ts";
import { type Door, ENVELOPE, type Told } from "./doors.ts";
import { type Addressed, paramsAtSource, type Spoken } from "./scenes.ts";
import { eraOf, hearsInLines, type SourceForm, speaksInLines } from "./sources.ts";

/** What a door of the stateless era may put before the members of a result from an older server. */
const MAY_BE_ADDED = ["resultType", "_meta", "ttlMs", "cacheScope"];
const KEYS_OF_ENVELOPE: readonly string[] = ENVELOPE.map(({ key }) => key);

/** The result of an answer, which must be one to this id. */
export function resultOf({ text }: Told, id: string): string {
  return partOf(text, id, "result");
}

export function errorOf({ text }: Told, id: string): string {
  return partOf(text, id, "error");
}

export function assertSameResult(door: Door, source: SourceForm, sent: string, told: Told, id: string): void {
  const arrived = resultOf(told, id);
  const normal = told.inLines || speaksInLines(source) ? onOneLine : asItIs;
  if (door.era === "handshake" && eraOf(source) === "stateless" && isMarked(sent)) {
    assertSameText(normal(listed(unmarked(sent))), normal(listed(cut(arrived))));
    return;
  }
  const mayDiffer = door.era === "stateless" && eraOf(source) === "handshake";
  const added = mayDiffer ? addedTo(normal(sent), normal(arrived)) : undefined;
  if (added === undefined) assertSameText(normal(sent), normal(arrived));
  else assertLawful(added, sent);
}

/** A server that speaks both eras puts no marks on what it says in the older one, and so do we. */
function isMarked(result: string): boolean {
  return result.startsWith("{") && memberText(cut(result), "resultType") === '"complete"';
}

function unmarked(result: string): readonly Cut[] {
  return cut(result).filter(({ key }) => key === "_meta" || !MAY_BE_ADDED.includes(key));
}

export function assertSameError(source: SourceForm, sent: string, told: Told, id: string): void {
  const normal = told.inLines || speaksInLines(source) ? onOneLine : asItIs;
  assertSameText(normal(sent), normal(errorOf(told, id)));
}

/** What the source heard of these params. */
export function assertSameParams(door: Door, to: Addressed, spoken: Spoken, heard: string): void {
  const { source } = to;
  const meta = membersOf(memberText(cut(heard), "_meta"));
  const token = memberText(meta, "progressToken");
  if (spoken.token !== undefined) assert.match(token ?? "none", /^\d+$/, "a progress token of the hub's own");
  const expected = paramsAtSource(to, spoken, door.era, token);
  const normal = hearsInLines(source) ? onOneLine : asItIs;
  if (door.era === eraOf(source)) assertSameText(normal(expected), normal(heard));
  else assertSameMembers(normal(expected), normal(heard));
  const isWanted = eraOf(source) === "stateless";
  for (const key of KEYS_OF_ENVELOPE) assert.equal(memberText(meta, key) !== undefined, isWanted, `${key} in ${heard}`);
}

export function assertSameText(sent: string, arrived: string): void {
  if (sent === arrived) return;
  let at = 0;
  while (sent[at] === arrived[at]) at++;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 40), at + 80));
  assert.fail(`differs at character ${at}: sent    …${around(sent)}…\n${" ".repeat(24)}arrived …${around(arrived)}…`);
}

/** Apart from the envelope, which belongs to one of the eras alone, and from what stands between members. */
function assertSameMembers(sent: string, heard: string): void {
  assertSameText(listed(besideMeta(cut(sent))), listed(besideMeta(cut(heard))));
  assertSameText(listed(besideEnvelope(sent)), listed(besideEnvelope(heard)));
}

function besideMeta(members: readonly Cut[]): readonly Cut[] {
  return members.filter(({ key }) => key !== "_meta");
}

function besideEnvelope(params: string): readonly Cut[] {
  const meta = membersOf(memberText(cut(params), "_meta"));
  return meta.filter(({ key }) => !KEYS_OF_ENVELOPE.includes(key));
}

function membersOf(object: string | undefined): readonly Cut[] {
  return object === undefined ? [] : cut(object);
}

function listed(members: readonly Cut[]): string {
  return members.map(({ key, text }) => `${JSON.stringify(key)}:${text}`).join("\n");
}

/** The members that were put before the others of an object, as an object; undefined if there are none. */
function addedTo(sent: string, arrived: string): string | undefined {
  if (!sent.startsWith("{") || sent === arrived) return undefined;
  const rest = /^\{\s*\}$/.test(sent) ? "}" : `,${sent.slice(1)}`;
  if (arrived.startsWith("{") && arrived.endsWith(rest)) return `${arrived.slice(0, -rest.length)}}`;
  assertSameText(sent, arrived);
  return undefined;
}

function assertLawful(added: string, sent: string): void {
  const own = cut(sent).map(({ key }) => key);
  const members = cut(added);
  for (const { key } of members) {
    assert.ok(MAY_BE_ADDED.includes(key), `${key} was added`);
    assert.ok(!own.includes(key), `${key} was there already`);
  }
  assert.equal(memberText(members, "resultType"), '"complete"', added);
}

function partOf(message: string, id: string, part: "result" | "error"): string {
  const members = cut(message);
  assert.equal(memberText(members, "id"), id, message.slice(0, 300));
  const text = memberText(members, part);
  assert.ok(text !== undefined, `no ${part} in ${message.slice(0, 500)}`);
  return text;
}

function onOneLine(text: string): string {
  return text.replace(/[\r\n]+/g, " ");
}

function asItIs(text: string): string {
  return text;
}
