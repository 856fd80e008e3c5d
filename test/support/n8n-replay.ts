/**
 * Runs a workflow of n8n as far as our examples go: a manual trigger, then HTTP Request nodes one after the other, with
 * expressions that look at what an earlier node was answered. What it does not know is a failure.
 */
import assert from "node:assert/strict";
import type { Message } from "./line-rpc.ts";

export interface Workflow {
  readonly name: string;
  readonly nodes: readonly WorkflowNode[];
  readonly connections: Readonly<Record<string, { readonly main: readonly (readonly { readonly node: string }[])[] }>>;
}

interface WorkflowNode {
  readonly name: string;
  readonly type: string;
  readonly typeVersion: number;
  readonly id: string;
  readonly position: readonly [number, number];
  readonly parameters: {
    readonly method?: string;
    readonly url?: string;
    readonly headerParameters?: { readonly parameters: readonly { readonly name: string; readonly value: string }[] };
    readonly jsonBody?: string;
  };
}

const EXPRESSION = /\{\{\s*\$node(?:\.(\w+)|\["([^"]+)"\])\.json((?:\.\w+)*)\s*\}\}/g;

/** What each node was answered, by its name. @param address to be asked in the place of the one that is written there */
export async function replayWorkflow(
  workflow: Workflow,
  written: string,
  address: string,
): Promise<Map<string, Message>> {
  const answers = new Map<string, Message>();
  for (const node of inOrder(workflow)) {
    assert.equal(node.type, "n8n-nodes-base.httpRequest", node.name);
    const { method, url = "", headerParameters, jsonBody } = node.parameters;
    assert.ok(url.startsWith(written), url);
    const value = (text: string): string => (text.startsWith("=") ? resolved(text.slice(1), answers) : text);
    const headers = headerParameters?.parameters.map(({ name, value: text }) => [name, value(text)] as const) ?? [];
    const response = await fetch(value(url).replace(written, address), {
      method: method ?? "GET",
      headers: Object.fromEntries(headers),
      ...(jsonBody !== undefined && { body: JSON.stringify(JSON.parse(value(jsonBody))) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${node.name}: ${response.status} ${text}`);
    answers.set(node.name, JSON.parse(text));
  }
  return answers;
}

/** What follows the trigger, each node once. */
function inOrder({ nodes, connections }: Workflow): WorkflowNode[] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  assert.equal(byName.size, nodes.length, "names are unique");
  const order: WorkflowNode[] = [];
  let [at] = nodes.filter(({ type }) => type === "n8n-nodes-base.manualTrigger");
  assert.ok(at, "there is a manual trigger");
  for (;;) {
    const next: readonly { readonly node: string }[] = connections[at.name]?.main[0] ?? [];
    assert.ok(next.length <= 1, "one after the other");
    if (next[0] === undefined) break;
    at = byName.get(next[0].node) ?? assert.fail(`no node ${next[0].node}`);
    order.push(at);
  }
  assert.equal(order.length, nodes.length - 1, "every node is reached");
  return order;
}

function resolved(text: string, answers: ReadonlyMap<string, Message>): string {
  const whole = text.replace(EXPRESSION, (_, plain: string | undefined, quoted: string | undefined, path: string) => {
    const found = path
      .split(".")
      .slice(1)
      .reduce((value: Message, key) => value?.[key], answers.get(plain ?? quoted ?? ""));
    return String(found ?? assert.fail(`nothing at ${text}`));
  });
  assert.doesNotMatch(whole, /\{\{/, "every expression is known");
  return whole;
}
