/**
 * Zaguan as users run it from a checkout, with its default pipeline and a configuration file that names the upstream. The
 * simulated house is left out, so that lists have what the upstream has.
 */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { makeFolder, removeFolder, type Started, start } from "../processes.ts";
import { questionOf, type Work } from "../work.ts";
import { echoSettings, echoStdio, NODE, overHttp, overWebSocket, program, type Running } from "./subject.ts";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
/** What runs of a checkout. */
const MAIN = "scripts/zaguan.mjs";
const KNOWS_ALL_MS = 120_000;
/** What the hub offers beside: nobody calls it, and nothing of it runs. */
const IDLE_TOOLS = 10;

export interface ZaguanOptions {
  /** Below the address; `/mcp` unless said otherwise. */
  readonly path?: string;
  /** So many sources more, remembered from an earlier start and never woken. */
  readonly idleSources?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** This one unless said otherwise. */
  readonly checkout?: string;
}

export async function zaguan(work: Work, options: ZaguanOptions = {}): Promise<Running> {
  const { path = "/mcp", idleSources = 0 } = options;
  const folder = makeFolder();
  const { servers, helpers } = await serversOf(work, idleSources);
  const expected = work.tools * work.sources + idleSources * IDLE_TOOLS;
  writeFileSync(join(folder, "zaguan.json"), JSON.stringify({ mcpServers: servers, devices: { house: false } }));
  if (idleSources > 0) await learn(folder, options, expected);
  const started = await serve(folder, options);
  const clean = async (): Promise<void> => {
    for (const helper of helpers) await helper.stop();
    removeFolder(folder);
  };
  const running = work.door === "websocket" ? overWebSocket(started, path, clean) : overHttp(started, { path, clean });
  return { ...running, ready: () => knowsAll(started.url, expected) };
}

function serve(folder: string, { env, checkout = CHECKOUT }: ZaguanOptions): Promise<Started> {
  const files = ["--data", join(folder, "data"), "--config", join(folder, "zaguan.json")];
  return start(NODE, [resolve(checkout, MAIN), "serve", "--port", "0", ...files], {
    cwd: folder,
    ...(env ? { env } : {}),
  });
}

/** Starts it once, so that its data folder has what every source offers. */
async function learn(folder: string, options: ZaguanOptions, expected: number): Promise<void> {
  const started = await serve(folder, options);
  try {
    await knowsAll(started.url, expected);
  } finally {
    await started.stop();
  }
}

/** What the configuration names, and the processes that have to be there for it. */
async function serversOf(work: Work, idleSources: number): Promise<{ servers: object; helpers: Started[] }> {
  const upstream = await upstreamOf(work);
  if (idleSources === 0) return upstream;
  const idle = await start(NODE, [program("echo-http.mjs"), JSON.stringify({ era: "2025", tools: IDLE_TOOLS })]);
  const names = Array.from({ length: idleSources }, (_, index) => `idle${index}`);
  const others = Object.fromEntries(names.map((name) => [name, byUrl(`${idle.url}/mcp/${name}-`)]));
  return { servers: { ...upstream.servers, ...others }, helpers: [...upstream.helpers, idle] };
}

async function upstreamOf(work: Work): Promise<{ servers: object; helpers: Started[] }> {
  const [command, ...args] = echoStdio(work);
  if (work.upstream === "stdio") return { servers: { up: { command, args } }, helpers: [] };
  const started = await start(NODE, [program("echo-http.mjs"), echoSettings(work)]);
  const places = questionOf(work).prefixes.map((prefix, index) => {
    return [index === 0 ? "up" : `up${index}`, byUrl(`${started.url}/mcp${prefix === "" ? "" : `/${prefix}`}`)];
  });
  return { servers: Object.fromEntries(places), helpers: [started] };
}

/** Servers on this machine are private addresses. */
function byUrl(url: string): object {
  return { url, zaguan: { allowPrivate: true } };
}

async function knowsAll(url: string, expected: number): Promise<void> {
  const limit = performance.now() + KNOWS_ALL_MS;
  let known = 0;
  while (performance.now() < limit) {
    known = await countTools(url);
    if (known >= expected) return;
    await sleep(100);
  }
  throw new Error(`Zaguan knows ${known} of ${expected} tools after ${KNOWS_ALL_MS / 1_000} s`);
}

async function countTools(url: string): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: cursor ? { cursor } : {} });
    const headers = { "content-type": "application/json" };
    const { result } = (await (await fetch(`${url}/mcp`, { method: "POST", headers, body })).json()) as Listed;
    count += result?.tools.length ?? 0;
    cursor = result?.nextCursor;
  } while (cursor !== undefined);
  return count;
}

interface Listed {
  readonly result?: { readonly tools: readonly unknown[]; readonly nextCursor?: string };
}
