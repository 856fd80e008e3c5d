/**
 * The tasks of revision 2025-11-25, which the hub knows nothing of: at a server's own address they pass through it, so
 * that a tool that only runs as a task can be called, asked after, and has its result.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { CAN_BE_ASKED } from "./support/answers.ts";
import { type ConnectOptions, connectV1, type Target } from "./support/official-clients.ts";
import { everything } from "./support/official-servers.ts";

interface Event {
  readonly type: string;
  readonly task?: { readonly status: string };
  readonly result?: { readonly content: unknown };
  readonly error?: Error;
}

/** Only this line of the client has it, as an experiment. */
interface Experiment {
  readonly experimental: { readonly tasks: { callToolStream(...words: unknown[]): AsyncIterable<Event> } };
}

const RESEARCH = { name: "simulate-research-query", arguments: { topic: "zaguanes" } };

describe("a tool of server-everything that runs as a task", { concurrency: true }, () => {
  let hub: SpawnedZaguan;
  let direct: Promise<readonly unknown[]>;
  before(async () => {
    hub = await spawnZaguan({ config: { mcpServers: { everything: everything() } } });
    direct = research(everything(), CAN_BE_ASKED);
  });
  after(() => hub.stop());

  for (const [kind, options] of [
    ["a client that cannot be asked", {}],
    ["a client that can be asked", CAN_BE_ASKED],
  ] as const) {
    test(`ends as it does without us: ${kind}`, async () => {
      const address = `${hub.url}/servers/everything/mcp`;
      assert.deepEqual(await research(address, options), await direct);
    });
  }
});

/** What became of it, each state once. */
async function research(target: Target, options: ConnectOptions): Promise<readonly unknown[]> {
  const client = await connectV1(target, options);
  await client.tools();
  if (options.answers) await client.call("trigger-elicitation-request");
  const { tasks } = (client.raw as unknown as Experiment).experimental;
  const seen = new Set<unknown>();
  let content: unknown;
  for await (const event of tasks.callToolStream(RESEARCH, undefined, { task: { ttl: 60_000 } })) {
    if (event.error) throw event.error;
    if (event.task) seen.add(event.task.status);
    content = event.result?.content;
  }
  await client.close();
  return [...seen, content];
}
