/** Measures how long a node takes to start with many registered servers, and how much memory they need. */
import { spreadOf } from "../../bench/statistics.ts";
import { fillRegistry, offeredTools, playServers, TOOLS_OF_EACH } from "../../test/support/many-servers.ts";
import { RpcOverHttp } from "../../test/support/rpc-over-http.ts";
import type { StartFigures } from "./figures.ts";
import { type ClusterWorld, memoryOf } from "./world.ts";

const SCHEMA = "registered";

interface Started {
  readonly readyMs: number;
  readonly listedMs: number;
  readonly held: number;
}

export async function measureStart(world: ClusterWorld, sources: number, rounds: number): Promise<StartFigures> {
  const tools = sources * TOOLS_OF_EACH;
  const player = await playServers();
  try {
    const first = await world.start("first", SCHEMA);
    const empty = await startAgain(world, rounds, 0);
    await fillRegistry(first.url, player.url, sources);
    const full = await startAgain(world, rounds, tools);
    const held = (all: readonly Started[]): number => spreadOf(all.map((one) => one.held)).median;
    return {
      sources,
      tools,
      rounds,
      emptyMs: spreadOf(empty.map(({ readyMs }) => readyMs)),
      fullMs: spreadOf(full.map(({ readyMs }) => readyMs)),
      listedMs: spreadOf(full.map(({ listedMs }) => listedMs)),
      heldBytesEach: (held(full) - held(empty)) / sources,
    };
  } finally {
    await player.stop();
  }
}

async function startAgain(world: ClusterWorld, rounds: number, tools: number): Promise<Started[]> {
  const all: Started[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    const hub = await world.start("second", SCHEMA);
    const client = new RpcOverHttp(hub.url, 1);
    await client.get("/health");
    const readyMs = performance.now() - startedAt;
    while ((await offeredTools(client)).length < tools);
    const listedMs = performance.now() - startedAt;
    all.push({ readyMs, listedMs, held: (await memoryOf(hub)).held });
    await client.close();
    await world.stopNode(hub);
  }
  return all;
}
