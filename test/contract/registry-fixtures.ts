/** Servers, tools and agents for the registry's suites. */
import assert from "node:assert/strict";
import type { NewAgent } from "../../src/contract/agent.ts";
import type { FoundTool, NewServer, RegistryTables, ToolRecord } from "../../src/store/registry.ts";

export const SQL = `'); DROP TABLE servers; -- " % _ ? $1 :x`;
export const UNICODE = "salón 客厅 🏠 e\u0301 \u202e";
/** Pairs that are one name. SQLite by itself would tell all but the first apart. */
export const SAME_NAMES: readonly (readonly [string, string])[] = [
  ["House", "hOUSE"],
  ["Árbol Ñ", "ÁRBOL ñ"],
  ["ДОМ", "дом"],
  ["ΟΔΟΣ", "οδος"],
  ["caf\u00e9", "CAFE\u0301"],
];

export function newServer(name: string, rest: Partial<NewServer> = {}): NewServer {
  return { name, origin: "registered", authType: "none", allowPrivate: false, ...rest };
}

export function newAgent(name: string, rest: Partial<NewAgent> = {}): NewAgent {
  return { name, autonomy: "Manual", ...rest };
}

export function tool(name: string, rest: Partial<FoundTool> = {}): FoundTool {
  const description = rest.description ?? `Does ${name}`;
  return { name, description, scope: "global", definition: JSON.stringify({ name, description }), ...rest };
}

export function tools(...names: string[]): FoundTool[] {
  return names.map((name) => tool(name));
}

/** A server of that name with those tools; resolves with its id. */
export async function serverWith(registry: RegistryTables, name: string, ...found: FoundTool[]): Promise<string> {
  const { id } = await registry.servers.create(newServer(name));
  await registry.tools.sync(id, found);
  return id;
}

export async function findTool(registry: RegistryTables, serverId: string, name: string): Promise<ToolRecord> {
  const found = await registry.tools.findByName(serverId, name);
  assert.ok(found, `there is no tool ${name}`);
  return found;
}

export function names(records: readonly { readonly name: string }[]): string[] {
  return records.map((record) => record.name);
}

export function assertTime(utc: string): void {
  assert.equal(new Date(utc).toISOString(), utc);
}

/** One of two that wanted the same thing at once got it; the other was told so. */
export function assertOneWon(results: readonly PromiseSettledResult<unknown>[], refusal: string): void {
  assert.deepEqual(results.map((result) => result.status).sort(), ["fulfilled", "rejected"]);
  const reasons = results.flatMap((result) => (result.status === "rejected" ? [result.reason.name] : []));
  assert.deepEqual(reasons, [refusal]);
}
