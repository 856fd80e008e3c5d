/**
 * Seed 003 for its tests: the requests that its document prints, a client of the bridge, and a hub with a simulated Home
 * Assistant behind it. It knows nothing of the hub's code.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type SimulatedHome, startHomeAssistant } from "./home-assistant/index.ts";
import type { Message } from "./line-rpc.ts";
import { type Answered, RegistryClient } from "./registry-client.ts";
import { runZaguan } from "./run-zaguan.ts";
import { type SpawnedZaguan, spawnZaguan } from "./spawn-zaguan.ts";

export const FRENCH: Readonly<Record<string, string>> = { "accept-language": "fr" };

/** §1 as printed, its `session_id` aside. */
export const INITIALIZE = {
  protocolVersion: "2024-11-05",
  capabilities: { supports_progress: true, supports_cancellation: false },
  clientInfo: { name: "http-client", version: "1.0.0" },
};

/** §2 as printed. */
export const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };

/** §3 as printed. */
export const CALL = toolCall(3, "get_entities", { domain: "light" });

export const CALL_ALL = toolCall(1, "get_entities", { domain: "all" });

export const CALL_LIGHT = toolCall(2, "call_service", {
  domain: "light",
  service: "turn_on",
  entity_id: "light.salon_lamp",
  data: { brightness: 180 },
});

export const CALL_STATE = toolCall(3, "get_entity_state", { entity_id: "sensor.temperature_salon" });

/** What every house has, with or without a Home Assistant. */
export const CALL_HOUSE = toolCall(1, "get_presence", {});

export function toolCall(id: unknown, name: string, args: object): object {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}

type Headers = Record<string, string>;

/** A session of the bridge. */
export class BridgeClient {
  readonly http: RegistryClient;
  readonly sessionId: string;

  /** @param more of the body, such as a `session_id` */
  static async open(http: RegistryClient, more: object = {}): Promise<BridgeClient> {
    const { status, text, body } = await http.post("/mcp/initialize", { ...INITIALIZE, ...more });
    assert.equal(status, 200, text);
    return new BridgeClient(http, body.result.session_id);
  }

  constructor(http: RegistryClient, sessionId: string) {
    this.http = http;
    this.sessionId = sessionId;
  }

  post(path: string, body: unknown, headers: Headers = {}): Promise<Answered> {
    return this.http.post(path, body, { "x-session-id": this.sessionId, ...headers });
  }

  list(headers: Headers = {}): Promise<Answered> {
    return this.post("/mcp/tools/list", LIST, headers);
  }

  call(request: unknown, headers: Headers = {}): Promise<Answered> {
    return this.post("/mcp/tools/call", request, headers);
  }

  end(): Promise<Answered> {
    return this.http.send("DELETE", "/mcp/session", undefined, { "x-session-id": this.sessionId });
  }

  /** Begun, and not waited for: what a test may leave again. */
  begin(request: object, headers: Headers = {}): Begun {
    const leaving = new AbortController();
    const answer = fetch(`${this.http.url}/mcp/tools/call`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-session-id": this.sessionId, ...headers },
      body: JSON.stringify(request),
      signal: leaving.signal,
    });
    const ended = answer.then(
      () => {},
      () => {},
    );
    return {
      leave: async () => {
        leaving.abort();
        await ended;
      },
    };
  }
}

export interface Begun {
  leave(): Promise<void>;
}

/** An answer that went well, in the bridge's form. */
export function assertBridged({ status, text, body, headers }: Answered, id: unknown): Message {
  assert.equal(status, 200, text);
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
  assert.deepEqual(Object.keys(body).sort(), ["bridge_info", "id", "jsonrpc", "result"], text);
  assert.deepEqual([body.jsonrpc, body.id], ["2.0", id]);
  return body;
}

/** A failure as the seed's example prints it. */
export function assertBridgeError({ status, text, body }: Answered, http: number, code: number, id?: unknown): Message {
  assert.deepEqual([status, body?.error?.code], [http, code], text);
  assert.ok(typeof body.error.message === "string" && body.error.message !== "", text);
  assert.equal(body.jsonrpc, "2.0", text);
  assert.equal("result" in body, false, text);
  if (id !== undefined) assert.deepEqual(body.id, id);
  assert.ok(Math.abs(timeIn(body.bridge_info?.timestamp) - Date.now()) < 60_000, text);
  assert.ok(typeof body.bridge_info.request_id === "string" && body.bridge_info.request_id !== "", text);
  return body;
}

/** The milliseconds of a time as the seed writes it: ISO 8601 in UTC. */
export function timeIn(text: unknown): number {
  assert.match(String(text), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
  return Date.parse(String(text));
}

/** A figure that can be one. */
export function assertFigure(value: unknown, what: string): void {
  assert.ok(typeof value === "number" && Number.isFinite(value) && value >= 0, `${what}: ${JSON.stringify(value)}`);
}

export function assertCount(value: unknown, what: string): void {
  assert.ok(Number.isSafeInteger(value) && (value as number) >= 0, `${what}: ${JSON.stringify(value)}`);
}

/** `GET /mcp/status`. */
export async function statusOf(http: RegistryClient): Promise<Message> {
  const { status, headers, text, body } = await http.get("/mcp/status");
  assert.equal(status, 200, text);
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
  return body;
}

export function assertCounts(section: Message, what: string, ...names: readonly string[]): void {
  for (const name of names) assertCount(section[name], `${what}.${name}`);
}

export function assertFigures(section: Message, what: string, ...names: readonly string[]): void {
  for (const name of names) assertFigure(section[name], `${what}.${name}`);
}

/** Asks until the answer is so, and gives it back; the last one is shown if that never happens. */
export async function askUntil<T>(what: string, ask: () => Promise<T>, isSo: (answer: T) => boolean): Promise<T> {
  const limit = performance.now() + 90_000;
  for (;;) {
    const answer = await ask();
    if (isSo(answer)) return answer;
    assert.ok(performance.now() < limit, `still not so: ${what}; last: ${JSON.stringify(answer)}`);
    await sleep(50);
  }
}

/** A key for the running hub, as its administrator makes it. */
export async function makeKey(hub: SpawnedZaguan, name: string, ...words: readonly string[]): Promise<string> {
  const command = ["key", "create", name, ...words, "--data", "data"];
  const { code, stdout, stderr } = await runZaguan(command, hub.folder);
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

export interface HomeOptions {
  readonly home?: Parameters<typeof startHomeAssistant>[0];
  /** Beside `homeAssistant`. */
  readonly config?: object;
  /** Of the Home Assistant as a source. */
  readonly policy?: object;
  readonly args?: readonly string[];
}

export interface OpenHome {
  readonly home: SimulatedHome;
  readonly hub: SpawnedZaguan;
  readonly http: RegistryClient;
  /** Home Assistant alone goes away. */
  stopHome(): Promise<void>;
  stop(): Promise<void>;
}

/** A hub in front of a simulated Home Assistant, whose tools are there. */
export async function openHome({ home: options, config, policy, args }: HomeOptions = {}): Promise<OpenHome> {
  const home = await startHomeAssistant(options);
  let hub: SpawnedZaguan | undefined;
  let stopped: Promise<void> | undefined;
  const stopHome = (): Promise<void> => {
    stopped ??= home.stop();
    return stopped;
  };
  const stop = async (): Promise<void> => {
    await hub?.stop();
    await stopHome();
  };
  try {
    const homeAssistant = { url: home.url, token: home.token, ...(policy && { zaguan: policy }) };
    hub = await spawnZaguan({ config: { homeAssistant, ...config }, args });
    const http = new RegistryClient(hub.url);
    await untilListed(http, "get_entities");
    return { home, hub, http, stopHome, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A hub answers before its sources do. */
export async function untilListed(http: RegistryClient, tool: string): Promise<void> {
  const names = (): Promise<string[]> => http.names("/mcp");
  await askUntil(`${tool} is listed`, names, (listed) => listed.includes(tool));
}

/** The text of `get_entities` in French: a line to read, and what follows as JSON. */
export function entitiesIn(text: string): { readonly total: number; readonly entities: readonly Message[] } {
  const [, count, json = ""] = /^Trouvé (\d+) entités:\n\n(\{.*\})$/s.exec(text) ?? assert.fail(text);
  const told = JSON.parse(json) as { total: number; entities: Message[] };
  assert.equal(told.total, Number(count));
  assert.equal(json, JSON.stringify(told, null, 2), "indented by two");
  return told;
}
