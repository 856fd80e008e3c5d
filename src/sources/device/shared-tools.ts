/**
 * Tools that are written alike are kept once: thousands of boxes of one make offer the same. Forgotten with the last box
 * that has them.
 */
import type { ToolDefinition } from "../../core/call.ts";

const known = new Map<string, WeakRef<ToolDefinition>>();
const forgotten = new FinalizationRegistry((text: string) => {
  // Another of the same text may have come meanwhile.
  if (known.get(text)?.deref() === undefined) known.delete(text);
});

export function sharedTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return tools.map(shared);
}

function shared(tool: ToolDefinition): ToolDefinition {
  const text = JSON.stringify(tool);
  const same = known.get(text)?.deref();
  if (same) return same;
  known.set(text, new WeakRef(tool));
  forgotten.register(tool, text);
  return tool;
}
