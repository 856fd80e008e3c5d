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
  const { type = "object" } = tool.inputSchema;
  if (type !== "object") return "its inputSchema is not that of an object";
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

  /** Tells whether to go on. */
  look(value: unknown, depth: number): boolean {
    this.nodes++;
    this.depth = Math.max(this.depth, depth);
    if (depth > MOST_DEPTH || this.nodes > MOST_NODES || this.characters > MOST_CHARACTERS) return false;
    if (typeof value === "string") this.characters += value.length;
    if (typeof value !== "object" || value === null) return true;
    if (Array.isArray(value)) return value.every((each) => this.look(each, depth + 1));
    return Object.entries(value).every(([key, each]) => {
      this.characters += key.length;
      return this.look(each, depth + 1);
    });
  }
}
