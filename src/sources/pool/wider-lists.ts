/**
 * Tools that a source shows only on some of its connections: to clients that can be asked something, or to the one client
 * that switched them on. They are listed for everybody; who cannot use one is told so by the source.
 */
import type { ToolDefinition } from "../../core/call.ts";

export class WiderLists {
  readonly #lists = new Map<object, readonly ToolDefinition[]>();

  /** What this connection lists; undefined when it is gone. Returns whether that changed what is listed. */
  set(connection: object, tools: readonly ToolDefinition[] | undefined): boolean {
    const before = this.#lists.get(connection);
    if (tools) this.#lists.set(connection, tools);
    else this.#lists.delete(connection);
    return JSON.stringify(before) !== JSON.stringify(tools);
  }

  /** In the order of the longest of the lists. */
  addTo(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    const lists = [tools, ...this.#lists.values()].sort((a, b) => b.length - a.length);
    const named = new Set<string>();
    return lists.flat().filter(({ name }) => !named.has(name) && named.add(name));
  }
}
