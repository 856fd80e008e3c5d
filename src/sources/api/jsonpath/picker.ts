/** What a JSONPath selects in an answer, as a list with one value on each line. */
import { exactValue, isFields, type JsonAnswer, type Picker } from "../arguments.ts";
import { Budget, compare, Patterns, TooMuch } from "./filter.ts";
import { parsePath } from "./parser.ts";
import type { MatchTest, Operand, Query, Segment, Selector, Test } from "./query.ts";

/** A value may be selected many times over, each time with all that is in it. */
const MOST_CHARACTERS = 16_777_216;

export const picker: Picker = (path) => {
  const query = parsePath(path);
  return ({ text, value }: JsonAnswer) => {
    const nodes = new Selection(exactValue(text, value), new Budget(text.length)).of(query);
    return listed(nodes);
  };
};

function listed(nodes: readonly unknown[]): string {
  let room = MOST_CHARACTERS;
  const lines = nodes.map((node) => {
    const line = `  ${JSON.stringify(node)}`;
    room -= line.length;
    if (room < 0) throw new TooMuch("the selection is too long");
    return line;
  });
  return lines.length === 0 ? "[]" : `[\n${lines.join(",\n")}\n]`;
}

/**
 * Selects the values that a JSONPath names, in the order of RFC 9535. Nothing recurses into the answer, whatever its
 * depth.
 */
type Nodes = readonly unknown[];

export class Selection {
  readonly #root: unknown;
  readonly #budget: Budget;
  readonly #patterns: Patterns;

  constructor(root: unknown, budget: Budget) {
    this.#root = root;
    this.#budget = budget;
    this.#patterns = new Patterns(budget);
  }

  of({ isRelative, segments }: Query, current: unknown = this.#root): Nodes {
    let nodes: Nodes = [isRelative ? current : this.#root];
    for (const segment of segments) nodes = this.#step(nodes, segment);
    return nodes;
  }

  #step(nodes: Nodes, { descends, selectors }: Segment): unknown[] {
    const found: unknown[] = [];
    for (const node of nodes) {
      if (descends) this.#descend(node, selectors, found);
      else for (const selector of selectors) this.#select(node, selector, found);
    }
    return found;
  }

  /** Each before what is in it. */
  #descend(node: unknown, selectors: readonly Selector[], found: unknown[]): void {
    const open = [node];
    while (open.length > 0) {
      const next = open.pop();
      if (!isStructure(next)) continue;
      for (const selector of selectors) this.#select(next, selector, found);
      const children = childrenOf(next);
      this.#budget.spend(1 + children.length);
      for (let at = children.length - 1; at >= 0; at--) open.push(children[at]);
    }
  }

  #select(node: unknown, selector: Selector, found: unknown[]): void {
    this.#budget.spend(1);
    if (selector.kind === "name") this.#name(node, selector.name, found);
    else if (selector.kind === "index") this.#index(node, selector.index, found);
    else if (selector.kind === "slice") this.#slice(node, selector, found);
    else this.#filter(node, selector.kind === "filter" ? selector.test : undefined, found);
  }

  #name(node: unknown, name: string, found: unknown[]): void {
    if (isFields(node) && Object.hasOwn(node, name)) found.push(node[name]);
  }

  #index(node: unknown, index: number, found: unknown[]): void {
    const at = Array.isArray(node) && index < 0 ? node.length + index : index;
    if (Array.isArray(node) && at >= 0 && at < node.length) found.push(node[at]);
  }

  #slice(node: unknown, { start, end, step }: Extract<Selector, { kind: "slice" }>, found: unknown[]): void {
    if (!Array.isArray(node) || step === 0) return;
    const { length } = node;
    const place = (at: number, least: number, most: number) =>
      Math.min(Math.max(at < 0 ? at + length : at, least), most);
    if (step > 0) {
      const last = place(end ?? length, 0, length);
      for (let at = place(start ?? 0, 0, length); at < last; at += step) this.#add(node[at], found);
    } else {
      const last = end === undefined ? -1 : place(end, -1, length - 1);
      for (let at = place(start ?? length - 1, -1, length - 1); at > last; at += step) this.#add(node[at], found);
    }
  }

  #filter(node: unknown, test: Test | undefined, found: unknown[]): void {
    if (!isStructure(node)) return;
    for (const child of childrenOf(node)) {
      this.#budget.spend(1);
      if (!test || this.#holds(test, child)) found.push(child);
    }
  }

  #add(node: unknown, found: unknown[]): void {
    this.#budget.spend(1);
    found.push(node);
  }

  #holds(test: Test, current: unknown): boolean {
    this.#budget.spend(1);
    switch (test.kind) {
      case "or":
        return test.tests.some((each) => this.#holds(each, current));
      case "and":
        return test.tests.every((each) => this.#holds(each, current));
      case "not":
        return !this.#holds(test.test, current);
      case "exists":
        return this.of(test.query, current).length > 0;
      case "compare":
        return compare(this.#value(test.left, current), test.is, this.#value(test.right, current), this.#budget);
      case "match":
      case "search":
        return this.#matches(test, current);
    }
  }

  #matches({ kind, text, pattern }: MatchTest, current: unknown): boolean {
    return this.#patterns.test(this.#value(text, current), this.#value(pattern, current), kind === "match");
  }

  /** Undefined where there is none. */
  #value(operand: Operand, current: unknown): unknown {
    switch (operand.kind) {
      case "literal":
        return operand.value;
      case "single":
        return this.of(operand.query, current)[0];
      case "count":
        return this.of(operand.query, current).length;
      case "value":
        return only(this.of(operand.query, current));
      case "length":
        return this.#length(this.#value(operand.of, current));
    }
  }

  #length(value: unknown): number | undefined {
    if (typeof value === "string") {
      this.#budget.spend(value.length >> 4);
      return codePoints(value);
    }
    return isStructure(value) ? childrenOf(value).length : undefined;
  }
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function only(nodes: Nodes): unknown {
  return nodes.length === 1 ? nodes[0] : undefined;
}

function isStructure(value: unknown): value is object {
  return Array.isArray(value) || isFields(value);
}

function childrenOf(value: object): Nodes {
  return Array.isArray(value) ? value : Object.values(value);
}
