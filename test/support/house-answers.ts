/**
 * What a model is told by the tools of a house, over MCP as it gets it: asked alike of a simulated and of a real Home
 * Assistant. It knows nothing of the hub's code.
 */
import assert from "node:assert/strict";
import type { Message } from "./line-rpc.ts";
import type { RegistryClient } from "./registry-client.ts";

export interface Told {
  /** Of the whole answer, as JSON-RPC. */
  readonly bytes: number;
  readonly isError: boolean;
  /** All texts. */
  readonly text: string;
  readonly data: Message;
}

export async function tell(http: RegistryClient, name: string, args: object = {}): Promise<Told> {
  const { status, text, body } = await http.rpc("/mcp", "tools/call", { name, arguments: args });
  assert.equal(status, 200, text);
  const { content, isError, structuredContent } = body.result;
  const words = content.map((item: Message) => item.text).join("\n");
  return { bytes: Buffer.byteLength(text), isError, text: words, data: structuredContent };
}

/** All lamps are on; then off, in one call, told in at most two kilobytes. */
export async function assertLampsOffInBrief(http: RegistryClient): Promise<number> {
  await tell(http, "call_service", { domain: "light", service: "turn_on", entity_id: "all" });
  const { bytes, data, text } = await tell(http, "call_service", {
    domain: "light",
    service: "turn_off",
    entity_id: "all",
  });
  const lamps = (await tell(http, "get_entities", { domain: "light" })).data.entities;
  assert.ok(lamps.length >= 4 && lamps.every(({ state }: Message) => state === "off"), JSON.stringify(lamps));
  for (const { entity_id } of lamps) {
    assert.ok(
      data.changed_states.some((one: Message) => one.entity_id === entity_id && one.state === "off"),
      entity_id,
    );
    assert.ok(text.includes(entity_id), text);
  }
  assert.ok(bytes <= 2_048, `${bytes} bytes`);
  return bytes;
}

/** Each domain by itself, told in at most ten kilobytes. */
export async function assertServicesInBrief(http: RegistryClient): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const domain of Object.keys((await tell(http, "get_services")).data.services)) {
    const { bytes, data } = await tell(http, "get_services", { domain });
    assert.deepEqual(Object.keys(data.services), [domain]);
    assert.ok(bytes <= 10_240, `${domain}: ${bytes} bytes`);
    sizes.set(domain, bytes);
  }
  return sizes;
}

/** One of a list is unknown: it is named, with one that was meant, and the others are as they were. */
export async function assertUnknownIsNamed(http: RegistryClient, known: string): Promise<void> {
  const stateOf = async (): Promise<string> => (await tell(http, "get_entity_state", { entity_id: known })).data.state;
  const before = await stateOf();
  const entity_id = [known, `${known}x`];
  const { isError, text } = await tell(http, "call_service", { domain: "light", service: "toggle", entity_id });
  assert.equal(isError, true);
  assert.match(text, new RegExp(`'${known}x'.*\\n.*${known}[,.]`));
  assert.equal(await stateOf(), before);
}

/** A service that changes nothing says so, and how that is which it was to change. */
export async function assertNothingChanged(http: RegistryClient, entity: string): Promise<void> {
  const off = { domain: "light", service: "turn_off", entity_id: entity };
  await tell(http, "call_service", off);
  const { isError, text, data } = await tell(http, "call_service", off);
  assert.equal(isError, false);
  assert.equal(data.note, `Nothing changed while it ran. Unchanged: ${entity} (off).`);
  assert.ok(text.endsWith(data.note), text);
}

/** The lamps of an area, called by its name in capitals, and no others. */
export async function assertAreaOff(http: RegistryClient, area: string, lamps: readonly string[]): Promise<void> {
  await tell(http, "call_service", { domain: "light", service: "turn_on", entity_id: "all" });
  const listed = (await tell(http, "get_entities", { area: area.toUpperCase(), domain: "light" })).data.entities;
  assert.deepEqual(listed.map(({ entity_id }: Message) => entity_id).sort(), [...lamps].sort());
  const { data } = await tell(http, "call_service", { domain: "light", service: "turn_off", area: area.toUpperCase() });
  assert.deepEqual(data.changed_states.map(({ entity_id }: Message) => entity_id).sort(), [...lamps].sort());
  assert.equal(data.note, undefined);
  const on = (await tell(http, "get_entities", { domain: "light", state: "on" })).data.entities;
  assert.ok(on.length > 0 && on.every(({ entity_id }: Message) => !lamps.includes(entity_id)));
}
