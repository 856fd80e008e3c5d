/**
 * A hub with its defaults before servers whose work takes its time, and load that does not wait for answers. What is asked
 * per second, and when it is too much, is held against what the same servers do in the same run.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { RpcOverHttp } from "../rpc-over-http.ts";
import { spawnZaguan } from "../spawn-zaguan.ts";
import { type Outcome, openLoad, quantileOf, type Stream, type Timed } from "./open-load.ts";

const SERVERS = fileURLToPath(new URL("./servers.mjs", import.meta.url));
/** What a hub asks of one such server at once, if nobody says otherwise. */
const AT_ONCE = 64;

export interface OverloadWorld {
  ask(streams: readonly Stream[], seconds: number): Promise<Outcome[][]>;
  /** Makes a server a black hole, or ends that: then it tells when it was asked meanwhile, in milliseconds. */
  mute(name: string, on: boolean): Promise<readonly number[]>;
  stream(tool: string, headers?: Readonly<Record<string, string>>): Omit<Stream, "perSecond">;
  /**
   * What a server really does while more than enough is asked, per second; what warms up is not counted. In no seconds: what
   * it could do if its timers were exact and nothing else took time.
   */
  capacity(seconds: number): Promise<number>;
}

/** `count` servers, `s0` and on, each with the tool `sN-work` that takes so long. */
export async function withOverload<T>(
  count: number,
  workMs: number,
  work: (world: OverloadWorld) => Promise<T>,
): Promise<T> {
  const servers = spawn(process.execPath, [SERVERS, String(workMs)], { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(servers.stdout, "data")) as [Buffer];
  const origin = `http://127.0.0.1:${said.toString().trim()}`;
  const zaguan = { allowPrivate: true };
  const entries = Array.from({ length: count }, (_, n) => [`s${n}`, { url: `${origin}/s${n}/mcp`, zaguan }]);
  const config = { mcpServers: Object.fromEntries(entries), devices: { house: false }, log: { level: "error" } };
  const hub = await spawnZaguan({ config });
  try {
    const session = await sessionAt(hub.url);
    const ask: OverloadWorld["ask"] = (streams, seconds) => openLoad(hub.url, streams, seconds);
    const stream: OverloadWorld["stream"] = (tool, headers = {}) => {
      return { tool, headers: { "x-session-id": session, ...headers } };
    };
    const mute: OverloadWorld["mute"] = async (name, on) => {
      const answer = await fetch(`${origin}/mute?${name}=${on ? 1 : 0}`, { method: "POST" });
      return ((await answer.json()) as { heard: number[] }).heard;
    };
    const capacity = async (seconds: number): Promise<number> => {
      const atMost = (AT_ONCE / workMs) * 1_000;
      if (seconds === 0) return atMost;
      const enough = [{ ...stream("s0-work"), perSecond: atMost * 1.5 }];
      const [outcomes] = await ask(enough, seconds + 3);
      return served(outcomes).filter(({ at }) => at > 3_000 && at < (seconds + 3) * 1_000).length / seconds;
    };
    return await work({ ask, mute, stream, capacity });
  } finally {
    await hub.stop();
    servers.kill();
  }
}

async function sessionAt(url: string): Promise<string> {
  const http = new RpcOverHttp(url);
  await http.rpc({ id: 1, method: "tools/list" });
  const greeting = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "overload", version: "1" } };
  const { text } = await http.send("POST", "/mcp/initialize", JSON.stringify(greeting));
  await http.close();
  return (JSON.parse(text) as { result: { session_id: string } }).result.session_id;
}

export function served(outcomes: readonly Outcome[] = []): Outcome[] {
  return outcomes.filter(({ status }) => status === 200);
}

export function refused(outcomes: readonly Outcome[] = []): Outcome[] {
  return outcomes.filter(({ status }) => status !== 200);
}

/** Refused otherwise than by 503 that says when to come again. */
export function unkind(outcomes: readonly Outcome[] = []): Outcome[] {
  return refused(outcomes).filter(({ status, retryAfter }) => status !== 503 || !(Number(retryAfter) >= 1));
}

/** The middle of those of all windows: what disturbs the machine for a moment is not what is measured. */
export function steadyP99(outcomes: readonly Timed[], windowMs = 2_000): number {
  const windows = Object.values(Object.groupBy(outcomes, ({ at }) => Math.floor(at / windowMs)));
  const found = windows.map((window = []) => quantileOf(window, 0.99)).sort((a, b) => a - b);
  return found[Math.floor(found.length / 2)] ?? Number.NaN;
}
