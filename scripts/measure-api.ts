/**
 * What a call of a REST API costs through the hub, over calling the API directly: `POST /mcp` of a hub in a process of its
 * own, and our source alone without any hub. One call at a time, the three ways in turn, so that all of them meet the same
 * noise. Prints medians and what is added to the direct way; fails where that is 1 ms or more at the median.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { Payload } from "../src/protocol/json/payload.ts";
import { ApiConnection } from "../src/sources/api/connection.ts";
import type { ApiOptions } from "../src/sources/api/operation.ts";
import { spawnZaguan } from "../test/support/spawn-zaguan.ts";

const CALLS = Number(process.env["ZAGUAN_CALLS"] ?? 3_000);
const WARM_UP = 500;
const TARGET_MS = 1;
const CODE = "clima";
const PATH = "/v1/current.json";

interface Way {
  readonly name: string;
  readonly times: number[];
  call(): Promise<string>;
}

const folder = await mkdtemp(join(tmpdir(), "zaguan-api-"));
const api = spawn(process.execPath, [fileURLToPath(new URL("api/weather.ts", import.meta.url))], {
  stdio: ["ignore", "pipe", "inherit"],
});
// Also where the hub does not start.
process.on("exit", () => api.kill());
const hub = await spawnZaguan({ folder, args: ["--allow-private"] });
const ends: (() => Promise<unknown>)[] = [];
try {
  const apiUrl = await firstLine();
  await describeTool(apiUrl);
  const ways = [await direct(apiUrl), alone(apiUrl), await throughHub()];
  for (const way of ways) await prove(way);
  for (let turn = 0; turn < WARM_UP + CALLS; turn++) {
    for (const way of ways) await time(way, turn >= WARM_UP);
  }
  process.exitCode = report(ways) < TARGET_MS ? 0 : 1;
} finally {
  for (const end of ends) await end();
  await hub.stop();
  api.kill();
  await once(api, "exit");
  await rm(folder, { recursive: true, force: true });
}

async function firstLine(): Promise<string> {
  const [line] = await once(createInterface({ input: api.stdout }), "line");
  return String(line);
}

async function describeTool(baseUrl: string): Promise<void> {
  const parameter = { name: "q", type: "STRING", description: "City", required: true, defaultValue: "" };
  const body = {
    name: "Clima",
    code: CODE,
    enabled: true,
    description: "The weather",
    baseUrl,
    endpointPath: PATH,
    httpMethod: "GET",
    authenticationType: "NONE",
    apiKeyLocation: "NONE",
    parameters: [parameter],
  };
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${hub.url}/admin/tools/api`, { method: "POST", headers, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
}

async function direct(url: string): Promise<Way> {
  const pool = new Pool(url);
  ends.push(() => pool.close());
  const call = async (): Promise<string> => {
    const { body } = await pool.request({ method: "GET", path: `${PATH}?q=Buenos%20Aires` });
    return body.text();
  };
  return { name: "the API directly", times: [], call };
}

function alone(baseUrl: string): Way {
  const q = { argument: "q", name: "q", in: "query", style: "form", explode: true, required: true } as const;
  const common = { name: CODE, description: "The weather", method: "GET", path: PATH } as const;
  const operations = [{ ...common, parameters: [q], inputSchema: { type: "object" } }];
  const options: ApiOptions = {
    baseUrl,
    auths: {},
    headers: {},
    operations,
    allowPrivate: true,
    maxAnswerChars: 100_000,
  };
  const clock = { now: () => performance.now(), after: () => () => {} };
  const connection = new ApiConnection(options, { name: CODE, clock }, () =>
    Promise.reject(new Error("no _pick here")),
  );
  ends.push(() => connection.close());
  const { signal } = new AbortController();
  const args = Payload.ofValue({ q: "Buenos Aires" });
  const request = { method: "tools/call", name: CODE, args, language: "en", signal } as const;
  return { name: "our source alone", times: [], call: async () => (await connection.request(request)).text };
}

/** A session as any client opens one. */
async function throughHub(): Promise<Way> {
  const pool = new Pool(hub.url);
  ends.push(() => pool.close());
  const clientInfo = { name: "measure-api", version: "1" };
  const opened = await post(pool, {}, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  const session = { "mcp-session-id": opened.session, "mcp-protocol-version": "2025-11-25" };
  const params = { name: CODE, arguments: { q: "Buenos Aires" } };
  return {
    name: "POST /mcp of a hub",
    times: [],
    call: async () => (await post(pool, session, "tools/call", params)).text,
  };
}

async function post(pool: Pool, more: Readonly<Record<string, string>>, method: string, params: object) {
  const accept = "application/json, text/event-stream";
  const { headers, body } = await pool.request({
    method: "POST",
    path: "/mcp",
    headers: { "content-type": "application/json", accept, ...more },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return { text: await body.text(), session: String(headers["mcp-session-id"] ?? "") };
}

async function prove({ name, call }: Way): Promise<void> {
  const text = await call();
  if (!text.includes("Sunny")) throw new Error(`${name}: ${text.slice(0, 300)}`);
}

async function time({ times, call }: Way, counts: boolean): Promise<void> {
  const startedAt = performance.now();
  await call();
  if (counts) times.push(performance.now() - startedAt);
}

/** What the hub adds at the median. */
function report(ways: readonly Way[]): number {
  console.log(`${CALLS} calls each, one at a time, in turn; milliseconds`);
  const [floor = Number.NaN, floor99 = Number.NaN] = quantiles(ways[0]);
  let added = Number.NaN;
  for (const way of ways) {
    const [median, p99] = quantiles(way);
    added = median - floor;
    const figures = [median, p99, added, p99 - floor99].map((ms) => ms.toFixed(3).padStart(8));
    console.log(`${way.name.padEnd(20)} median${figures[0]}  p99${figures[1]}  added${figures[2]}  p99${figures[3]}`);
  }
  return added;
}

function quantiles(way: Way | undefined): [number, number] {
  const sorted = [...(way?.times ?? [])].sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return [at(0.5), at(0.99)];
}
