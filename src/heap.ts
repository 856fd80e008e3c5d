/**
 * Limits for V8's heap beyond V8's own. Under load the young generation doubles up to 128 MB, the old generation may double
 * before it is collected, and a process that does little gives neither back to the system. Here the young generation is
 * bounded, the old one is collected sooner where much is held, and a full collection follows when much was released at once.
 * The price is more frequent garbage collection.
 */
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MB = 1_048_576;
/** `young`: bytes of the young generation, both semi-spaces; `growth`: percent by which the old one may grow, 0 for V8's choice. */
const USUAL = { young: 32 * MB, growth: 0 };
const NARROW = { young: 8 * MB, growth: 15 };
/** From so many open sockets on, V8's spare room would take more memory than the sockets themselves. */
const MANY_SOCKETS = 100;
/** Released bytes that are worth a full collection, which takes tens of milliseconds. */
const MUCH = 64 * MB;
const CHECK_MS = 1_000;
const PAUSE_MS = 10_000;
const START_MS = 2_000;
/** A heap of this size is collected in some 100 ms. */
const SMALL = 32 * MB;
const AT_ONCE = "{ type: 'major', flavor: 'last-resort' }";
const BIT_BY_BIT = "{ type: 'major', execution: 'async' }";
let limits = USUAL;
let hasManySockets = false;
let mayGrow = true;
/** Runs while there are, or just were, many bytes of large answers in the heap. */
let holding: NodeJS.Timeout | undefined;
let released = 0;
let collecting: NodeJS.Timeout | undefined;

/**
 * For a process that is the hub's own, at its start. Loading the code fills the young generation and leaves garbage behind:
 * a little later both are given back to the system, which takes some 50 ms at once; where there is much in the heap already,
 * bit by bit.
 */
export function boundHeap(): void {
  setInterval(boundYoungGeneration, CHECK_MS).unref();
  setTimeout(() => collectNow(getHeapStatistics().used_heap_size < SMALL ? AT_ONCE : BIT_BY_BIT), START_MS).unref();
}

/** V8 reads the largest size of the young generation only at its start, but its growth factor whenever it grows. */
function boundYoungGeneration(): void {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  const isBelow = (young?.space_size ?? 0) < limits.young;
  if (isBelow === mayGrow) return;
  mayGrow = isBelow;
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
}

/** To be called with the number of open sockets whenever it changes. */
export function holdHeapFor(sockets: number): void {
  hasManySockets = sockets >= MANY_SOCKETS;
  chooseLimits();
}

/** To be called with the bytes of large answers that wait to be read: while they are many, garbage must not pile up beside them. */
export function holdHeapBeside(bytes: number): void {
  if (bytes < MUCH) return;
  holding ??= setTimeout(() => {
    holding = undefined;
    chooseLimits();
  }, PAUSE_MS).unref();
  holding.refresh();
  chooseLimits();
}

function chooseLimits(): void {
  const wanted = hasManySockets || holding ? NARROW : USUAL;
  if (wanted === limits) return;
  limits = wanted;
  setFlagsFromString(`--heap-growing-percent=${limits.growth}`);
}

/** To be called with the size of something large that is not needed any more. */
export function hasLetGo(bytes: number): void {
  released += bytes;
  if (released < MUCH || collecting) return;
  collecting = setTimeout(collect, PAUSE_MS).unref();
}

function collect(): void {
  released = 0;
  collecting = undefined;
  collectNow(BIT_BY_BIT);
}

function collectNow(how: string): void {
  setFlagsFromString("--expose-gc");
  // Only contexts that are made after the flag have the function.
  runInNewContext(`gc(${how})`);
}
