/** What the table of nodes shows: all that answered and those that did not, by their names. */
import type { HubNode, Nodes } from "../../../contract/node.ts";

export interface NodeRow {
  readonly name: string;
  readonly state: "alive" | "draining" | "missing";
  /** Whether the page's own answers come from it. */
  readonly isHere: boolean;
  /** Undefined where it did not answer. */
  readonly node: HubNode | undefined;
}

export function toRows({ node: here, nodes, missing }: Nodes): readonly NodeRow[] {
  const told = nodes.map((node): NodeRow => {
    const state = node.draining ? "draining" : "alive";
    return { name: node.node, state, isHere: node.node === here, node };
  });
  const silent = missing.map((name): NodeRow => ({ name, state: "missing", isHere: false, node: undefined }));
  return [...told, ...silent].sort((one, other) => (one.name < other.name ? -1 : 1));
}

export interface ShownSource {
  readonly name: string;
  /** The nodes that it is pinned to; undefined where any may hold it. */
  readonly pins: string | undefined;
}

/** More names than this in one cell are read by nobody. */
const MOST_SHOWN = 50;

interface ShownSources {
  readonly shown: readonly ShownSource[];
  readonly more: number;
}

/** @param total how many there are, where not all are told */
export function shownSources(sources: HubNode["sources"], total: number = sources.length): ShownSources {
  const sorted = sources.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const shown = sorted.slice(0, MOST_SHOWN).map(({ name, pinned }) => ({ name, pins: pinned?.join(", ") }));
  return { shown, more: total - shown.length };
}
