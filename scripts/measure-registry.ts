/**
 * Measures the registry at the size of a large house: 1,000 servers with ten tools each, all played by one local HTTP
 * server. They are registered and discovered over HTTP as anybody would do it; then the hub is started again and again.
 * Prints medians; decides nothing, since machines differ, but for one thing: nobody may have been connected to.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fillRegistry, offeredTools, playServers, TOOLS_OF_EACH } from "../test/support/many-servers.ts";
import { RpcOverHttp } from "../test/support/rpc-over-http.ts";
import { type SpawnedZaguan, spawnZaguan } from "../test/support/spawn-zaguan.ts";

const SERVERS = Number(process.env["ZAGUAN_SERVERS"] ?? 1_000);
const ROUNDS = 5;
/** They find a thousand tools, some hundreds, some, ten, none, and all of them. */
const SEARCHES = ["kelvin", "turn lamp", "room 77", "s0042", "nothing has this", "room"];
const TIMES = 9;

const CONNECTED = "connections to the servers meanwhile";

interface Figures {
  readonly [what: string]: number;
}

const folder = await mkdtemp(join(tmpdir(), "zaguan-registry-"));
const player = await playServers();
try {
  console.log(`${SERVERS} servers, ${SERVERS * TOOLS_OF_EACH} tools; medians of ${ROUNDS} starts, in ms`);
  const filling = performance.now();
  await withHub(async ({ url }) => fillRegistry(url, player.url, SERVERS));
  console.log(`to register and discover each (four at once)  ${((performance.now() - filling) / SERVERS).toFixed(1)}`);
  const rounds: Figures[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(round));
  for (const what of Object.keys(rounds[0] ?? {})) {
    console.log(`${what.padEnd(46)}${median(rounds.map((figures) => figures[what] ?? Number.NaN)).toFixed(1)}`);
  }
  process.exitCode = rounds.some((figures) => figures[CONNECTED] !== 0) ? 1 : 0;
} finally {
  await player.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(round: number): Promise<Figures> {
  const connections = player.connections();
  const startedAt = performance.now();
  return await withHub(async (hub) => {
    const client = new RpcOverHttp(hub.url, 1);
    const ms = async (path: string): Promise<number> => {
      const answer = await client.get(path);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
      return answer.ms;
    };
    const all = "/mcp/tools/all";
    await ms("/health");
    const ready = performance.now() - startedAt;
    const { length: offered } = await offeredTools(client);
    const firstList = performance.now() - startedAt;
    if (offered < SERVERS * TOOLS_OF_EACH) throw new Error(`only ${offered} tools are offered`);
    const cold = await ms(all);
    const warm = await usual(() => ms(all));
    const search = (words: string): string => `${all}?search=${encodeURIComponent(words)}`;
    const searches: number[] = [];
    // With another address each time the hub has no answer at hand.
    for (const words of SEARCHES) searches.push(await usual((time) => ms(`${search(words)}&time=${time}`)));
    const again = await usual(() => ms(search("kelvin")));
    const page = await ms(`${all}?limit=50&offset=5000`);
    const servers = await ms("/mcp/servers");
    const connected = player.connections() - connections;
    const registering = await client.send("POST", "/mcp/servers", body(`extra-${round}`));
    const one = await ms(`/mcp/servers/extra-${round}`);
    const changing = await client.send(
      "PATCH",
      `/mcp/servers/extra-${round}`,
      '{"authType":"none","headers":{"a":"b"}}',
    );
    const searchAfterChange = await ms(search("kelvin"));
    const afterChange = await ms(all);
    const removing = await client.send("DELETE", `/mcp/servers/extra-${round}`);
    for (const { status, text } of [registering, changing, removing]) if (status > 204) throw new Error(text);
    await client.close();
    return {
      [CONNECTED]: connected,
      "start to first answer (/health)": ready,
      "start to tools/list with all tools": firstList,
      "GET /mcp/tools/all, cold": cold,
      "GET /mcp/tools/all, warm": warm,
      "GET /mcp/tools/all after a change": afterChange,
      ...Object.fromEntries(SEARCHES.map((words, index) => [`search for '${words}'`, searches[index] ?? 0])),
      "search for 'kelvin', the same again": again,
      "search for 'kelvin' after a change": searchAfterChange,
      "GET /mcp/tools/all, fifty from the middle": page,
      "GET /mcp/servers": servers,
      "GET /mcp/servers/{name}": one,
      "POST /mcp/servers": registering.ms,
      "PATCH /mcp/servers/{name}": changing.ms,
      "DELETE /mcp/servers/{name}": removing.ms,
    };
  });
}

async function usual(ask: (time: number) => Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let time = 0; time < TIMES; time++) all.push(await ask(time));
  return median(all);
}

async function withHub<Result>(work: (hub: SpawnedZaguan) => Promise<Result>): Promise<Result> {
  const hub = await spawnZaguan({ folder, config: { log: { level: "error" } } });
  try {
    return await work(hub);
  } finally {
    await hub.stop();
  }
}

function body(name: string): string {
  return JSON.stringify({ name, baseUrl: `${player.url}/${name}` });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
