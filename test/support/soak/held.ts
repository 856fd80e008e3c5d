/** What a hub holds at a moment: as the kernel counts it, as it says itself, and what of its heap is really in use. */
import { once } from "node:events";
import { WebSocket } from "ws";
import { openSockets, residentMb } from "../memory.ts";
import { PrometheusText } from "../prometheus-text.ts";
import type { RpcOverHttp } from "../rpc-over-http.ts";
import { openFilesOf } from "../sockets.ts";
import type { SpawnedZaguan } from "../spawn-zaguan.ts";

export interface Held {
  /** Seconds since the beginning. */
  readonly at: number;
  readonly residentMb: number;
  /** With what could be thrown away. */
  readonly heapMb: number;
  readonly files: number;
  readonly sockets: number;
  readonly children: number;
  readonly handles: number;
  /** Of all doors. */
  readonly sessions: number;
  readonly streams: number;
  readonly openSockets: number;
  readonly sources: number;
  readonly inFlight: number;
  readonly waiting: number;
  readonly unreadBytes: number;
  readonly cacheBytes: number;
}

const MB = 1_048_576;

export async function whatIsHeld(hub: SpawnedZaguan, http: RpcOverHttp, at: number): Promise<Held> {
  const told = new PrometheusText((await http.get("/metrics")).text);
  const open = (what: string): number => told.sum("zaguan_open", { what });
  return {
    at: Math.round(at * 10) / 10,
    residentMb: residentMb(hub.pid),
    heapMb: Math.round((told.sum("nodejs_heap_size_used_bytes") / MB) * 10) / 10,
    files: openFilesOf(hub.pid),
    sockets: openSockets(hub.pid),
    children: hub.descendants().length,
    handles: told.sum("nodejs_active_handles_total"),
    sessions: open("sessions") + told.sum("zaguan_sessions"),
    streams: open("streams"),
    openSockets: open("sockets"),
    sources: told.all("zaguan_source_up").length,
    inFlight: told.sum("zaguan_calls_in_flight"),
    waiting: told.sum("zaguan_queue_waiting"),
    unreadBytes: told.sum("zaguan_unread_bytes"),
    cacheBytes: told.sum("zaguan_cache_bytes"),
  };
}

export interface LiveHeap {
  /** Objects that are in use, when everything else has been thrown away. */
  readonly liveHeapMb: number;
  /** What the compiler has made of the program so far; for hours it makes more of what is called often. */
  readonly codeMb: number;
}

/** Evaluated in the hub: bytes of all spaces, and of those that have only code. */
const SPACES = `(() => {
  const all = process.getBuiltinModule("node:v8").getHeapSpaceStatistics();
  const sum = (spaces) => spaces.reduce((bytes, { space_used_size }) => bytes + space_used_size, 0);
  return [sum(all), sum(all.filter(({ space_name }) => /^(?:code|trusted)_/.test(space_name)))];
})()`;

/** The hub must run with INSPECTED. */
export async function liveHeap(hub: SpawnedZaguan): Promise<LiveHeap> {
  const [address = ""] = /ws:\/\/127\.0\.0\.1:\S+/.exec(hub.stderr()) ?? [];
  const inspector = new WebSocket(address);
  await once(inspector, "open");
  const ask = async (id: number, method: string, params = {}): Promise<{ result: { result: { value: number[] } } }> => {
    inspector.send(JSON.stringify({ id, method, params }));
    const [data] = await once(inspector, "message");
    return JSON.parse(String(data));
  };
  // The second finds what the first has only just let go.
  await ask(1, "HeapProfiler.collectGarbage");
  await ask(2, "HeapProfiler.collectGarbage");
  const { result } = await ask(3, "Runtime.evaluate", { expression: SPACES, returnByValue: true });
  inspector.close();
  await once(inspector, "close");
  const [all = 0, code = 0] = result.result.value;
  return { liveHeapMb: hundredths((all - code) / MB), codeMb: hundredths(code / MB) };
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

export const INSPECTED = { NODE_OPTIONS: "--inspect=127.0.0.1:0" };

/** By how much it grows, by the line that lies nearest to all samples from this second on, from its begin to its end. */
export function growthOf(samples: readonly Held[], from: number, of: (held: Held) => number): number {
  const late = samples.filter(({ at }) => at >= from);
  const middle = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [middle(late.map(({ at }) => at)), middle(late.map(of))];
  const rise = late.reduce((sum, held) => sum + (held.at - x) * (of(held) - y), 0);
  const run = late.reduce((sum, { at }) => sum + (at - x) ** 2, 0);
  return (rise / run) * ((late.at(-1)?.at ?? 0) - (late[0]?.at ?? 0));
}

/**
 * The same by the median of the slopes between all pairs of samples (Theil and Sen): whatever leaks raises nearly all of them, while a
 * single step, with memory as flat after it as before, raises less than half.
 */
export function steadyGrowthOf(samples: readonly Held[], from: number, of: (held: Held) => number): number {
  const late = samples.filter(({ at }) => at >= from);
  const slopes = late.flatMap((one, place) =>
    late.slice(place + 1).map((other) => (of(other) - of(one)) / (other.at - one.at)),
  );
  const middle = slopes.sort((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? 0;
  return middle * ((late.at(-1)?.at ?? 0) - (late[0]?.at ?? 0));
}
