/** A list of tools that may change while it is used, and the plain one that does not. */
import type { AnyUserTool } from "./tool.ts";

export interface UserTools {
  /** Settled, never rejected, once what is there at the start has been read. */
  readonly ready: Promise<void>;
  /** Each name once. */
  list(): readonly AnyUserTool[];
  /** The returned function takes the listener back. */
  onChange(listener: () => void): () => void;
}

/** Of one name the first is kept. */
export function fixedTools(tools: readonly AnyUserTool[]): UserTools {
  const byName = new Map<string, AnyUserTool>();
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  const list = [...byName.values()];
  return { ready: Promise.resolve(), list: () => list, onChange: () => () => {} };
}
