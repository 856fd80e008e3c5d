/**
 * Limits for V8's heap beyond V8's own. Under load the young generation doubles up to 128 MB, the old generation may double
 * before it is collected, and a process that does little gives neither back to the system. Here the young generation is
 * bounded, the old one is collected sooner where much is held, and a full collection follows when the process rests after
 * work. The price is more frequent garbage collection.
 */
import { PerformanceObserver, performance } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MB = 1_048_576;
/** `young`: bytes of the young generation, both semi-spaces; `growth`: percent by which the old one may grow, 0 for V8's choice. */
const USUAL = { young: 32 * MB, growth: 0 };
const NARROW = { young: 8 * MB, growth: 15 };
/** From so many open sockets on, V8's spare room would take more memory than the sockets themselves. */
const MANY_SOCKETS = 100;
/** Bytes of large answers that wait to be read, from which on garbage must not pile up beside them. */
const MUCH = 64 * MB;
const HOLD_MS = 10_000;
const CHECK_MS = 1_000;
/** Shares of the time between two checks in which the event loop was busy: from WORK on the process works, up to REST it rests. */
const WORK = 0.2;
const REST = 0.05;
/** So many checks in a row must have found the process at rest. */
const RESTED = 2;
/** Collections bit by bit after each work: what one of them finds to be garbage lets the next one free more. */
const COLLECTIONS = 3;
/** A heap of this size is collected at once in some 200 ms, one of 30 MB in 50. */
const SMALL = 128 * MB;
const AT_ONCE = "{ type: 'major', flavor: 'last-resort' }";
const BIT_BY_BIT = "{ type: 'major', execution: 'async' }";
/** The limits where nothing out of the ordinary is held. */
let ordinary = USUAL;
let limits = ordinary;
let hasManySockets = false;
let mayGrow = true;
/** Runs while there are many bytes of large answers in the heap. */
let holding: NodeJS.Timeout | undefined;
let lastUse = performance.eventLoopUtilization();
/** Since the last collection; loading the code is work, too. */
let hasWorked = true;
let rested = 0;

/**
 * For a process that is the hub's own, at its start. One that serves a single client (`zaguan stdio`) gets narrow limits: it
 * has little to do at a time, and there may be one such process for each client.
 */
export function boundHeap(clients: "one" | "many"): void {
  ordinary = clients === "one" ? NARROW : USUAL;
  chooseLimits();
  // A client that sends large messages makes it grow to V8's limit in less than the time between two checks.
  if (clients === "one") new PerformanceObserver(boundYoungGeneration).observe({ entryTypes: ["gc"] });
  setInterval(() => {
    boundYoungGeneration();
    collectAtRest();
  }, CHECK_MS).unref();
}

/** V8 reads the largest size of the young generation only at its start, but its growth factor whenever it grows. */
function boundYoungGeneration(): void {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  const isBelow = (young?.space_size ?? 0) < limits.young;
  if (isBelow === mayGrow) return;
  mayGrow = isBelow;
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
}

/**
 * Work fills the young generation and leaves garbage behind: the loading of the code does, and so do a thousand clients that
 * came or went. Both are given back to the system when the process has rested for a moment, so that hardly anybody waits for
 * it: at once where the heap is small, else bit by bit.
 */
function collectAtRest(): void {
  const use = performance.eventLoopUtilization();
  const { utilization } = performance.eventLoopUtilization(use, lastUse);
  lastUse = use;
  if (utilization >= WORK) hasWorked = true;
  rested = utilization <= REST ? rested + 1 : 0;
  if (!hasWorked || rested < RESTED) return;
  const isSmall = getHeapStatistics().used_heap_size < SMALL;
  if (isSmall || rested >= RESTED + COLLECTIONS - 1) hasWorked = false;
  collect(isSmall ? AT_ONCE : BIT_BY_BIT);
  // Only the code that the start alone needs is thrown away with the first collection: what serves callers stays compiled.
  setFlagsFromString("--no-flush-bytecode");
}

/** To be called with the number of open sockets whenever it changes. */
export function holdHeapFor(sockets: number): void {
  hasManySockets = sockets >= MANY_SOCKETS;
  chooseLimits();
}

/**
 * To be called with the bytes of large answers that wait to be read: while they are many, garbage must not pile up beside them.
 * When they have gone they are garbage themselves; to drop them is as good as work.
 */
export function holdHeapBeside(bytes: number, bytesNow: () => number): void {
  if (bytes < MUCH || holding) return;
  holding = setInterval(() => {
    if (bytesNow() >= MUCH) return;
    clearInterval(holding);
    holding = undefined;
    hasWorked = true;
    chooseLimits();
  }, HOLD_MS).unref();
  chooseLimits();
}

function chooseLimits(): void {
  const wanted = hasManySockets || holding ? NARROW : ordinary;
  if (wanted === limits) return;
  limits = wanted;
  setFlagsFromString(`--heap-growing-percent=${limits.growth}`);
}

function collect(how: string): void {
  setFlagsFromString("--expose-gc");
  // Only contexts that are made after the flag have the function.
  runInNewContext(`gc(${how})`);
}
