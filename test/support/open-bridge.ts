/** The bridge on a real port, with its sessions in a store of its own and a time of day that a test may move. */
import assert from "node:assert/strict";
import type { QueueView } from "../../src/core/source-queue.ts";
import { bridge } from "../../src/doors/bridge/index.ts";
import { BridgeSessions } from "../../src/doors/bridge/sessions.ts";
import { Statistics } from "../../src/observe/statistics.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";
import { type Answered, type Asked, type OpenDoors, type OpenOptions, openDoors, rpc } from "./open-doors.ts";

/** Seed 003 §1 as printed, its `session_id` aside. */
export const HELLO = {
  protocolVersion: "2024-11-05",
  capabilities: { supports_progress: true, supports_cancellation: false },
  clientInfo: { name: "http-client", version: "1.0.0" },
};

export interface OpenBridge extends OpenDoors {
  readonly store: Store;
  readonly sessions: BridgeSessions;
  readonly statistics: Statistics;
  /** How busy the hub says that it is. */
  queue: QueueView;
  /** What is added to the time of day. */
  laterMs: number;
  initialize(body?: object, headers?: Asked["headers"]): Promise<Answered>;
  /** The header of a session that was just opened. */
  session(headers?: Record<string, string>): Promise<{ readonly "x-session-id": string }>;
  post(path: string, message: unknown, headers?: Asked["headers"]): Promise<Answered>;
}

const IDLE: QueueView = {
  pending: 0,
  processing: 0,
  estimatedWaitMs: 0,
  byPriority: { HIGH: 0, MEDIUM: 0, LOW: 0, BULK: 0 },
};

export async function openBridge(options: OpenOptions = {}): Promise<OpenBridge> {
  const store = await openSqliteStore(":memory:");
  const statistics = new Statistics();
  const limits = { sessions: 100, sessionIdleMs: 3_600_000, ...options.limits };
  const open = { laterMs: 0, queue: IDLE };
  const now = (): number => Date.now() + open.laterMs;
  const report = (cause: unknown): never => assert.fail(String(cause));
  const sessions = await BridgeSessions.open({ table: store.sessions, limits: () => limits, now, report });
  const context = { statistics, bridgeSessions: sessions, queue: () => open.queue, ...options.context };
  const doors = await openDoors([bridge], { ...options, limits, context });
  const post: OpenBridge["post"] = (path, message, headers) => doors.ask(path, rpc(message, headers));
  const initialize: OpenBridge["initialize"] = (body = {}, headers = {}) =>
    post("/mcp/initialize", { ...HELLO, ...body }, headers);
  return Object.assign(open, doors, {
    store,
    sessions,
    statistics,
    post,
    initialize,
    session: async (headers = {}) => {
      const { status, text, json } = await initialize({}, headers);
      assert.equal(status, 200, text);
      return { "x-session-id": String(json.result?.["session_id"]) };
    },
    close: async () => {
      await doors.close();
      await sessions.close();
      await store.close();
    },
  });
}

/** What stands in `bridge_info`. */
export function infoOf({ json }: Answered): Readonly<Record<string, unknown>> {
  return json["bridge_info"] as Record<string, unknown>;
}
