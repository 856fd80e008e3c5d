/** What every client must find in the simulated house. */
import assert from "node:assert/strict";

/** The six tools, in the order of the original. */
export const HOUSE_TOOLS: readonly string[] = [
  "get_presence",
  "get_alarm_status",
  "list_lights_on",
  "set_light_state",
  "set_alarm_state",
  "get_all_states",
];

/** A successful switch, as every door of official MCP words it. */
export function assertSwitched(result: unknown): void {
  const { content, structuredContent, isError } = result as Record<string, unknown>;
  assert.notEqual(isError, true);
  assert.deepEqual(structuredContent, { ok: true });
  const [block] = content as { type: string; text: string }[];
  assert.equal(block?.type, "text");
  assert.deepEqual(JSON.parse(block.text), { ok: true });
}
