/**
 * Tools that a source lists but that nobody should be handed: one hostile or broken definition must not spoil the list that
 * every client reads. The rest of the source's tools are offered as usual.
 */
import type { ToolDefinition } from "./call.ts";

const MOST_CHARACTERS = 262_144;
const MOST_DEPTH = 64;
const MOST_NODES = 20_000;

/** Why it is not offered, in plain words; undefined of a good one. */
export function unfitness(tool: ToolDefinition): string | undefined {
  const shape = new Shape();
  shape.look(tool, 1);
  if (shape.depth > MOST_DEPTH) return `its definition is nested deeper than ${MOST_DEPTH} levels`;
  if (shape.nodes > MOST_NODES) return `its definition has more than ${MOST_NODES} parts`;
  if (shape.characters > MOST_CHARACTERS) return `its definition is larger than ${MOST_CHARACTERS} characters`;
  return undefined;
}

/** Measures without writing it out, and stops as soon as it is too much. */
class Shape {
  depth = 0;
  nodes = 0;
  characters = 0;

  look(value: unknown, depth: number): void {
    this.nodes++;
    this.depth = Math.max(this.depth, depth);
    if (depth > MOST_DEPTH || this.nodes > MOST_NODES || this.characters > MOST_CHARACTERS) return;
    if (typeof value === "string") this.characters += value.length;
    else if (Array.isArray(value)) for (const each of value) this.look(each, depth + 1);
    else if (typeof value === "object" && value !== null) this.#lookInto(value, depth);
  }

  #lookInto(value: object, depth: number): void {
    for (const [key, each] of Object.entries(value)) {
      this.characters += key.length;
      this.look(each, depth + 1);
    }
  }
}
