/**
 * How much room V8 takes beyond what is in use. What is new has a space that doubles up to 128 MB under load, what is old may
 * double before it is looked through, and neither is given back while little is done. A hub needs less: the first is bounded, the
 * second is held short while there is a crowd, and room is given back when much was let go at once. The price is looking
 * through it more often.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MB = 1_048_576;
/**
 * `newBytes`: how large the space for what is new may become, both of its halves; `percent`: how much more than what is in use
 * what is old may take, 0 for V8's own choice.
 */
const USUAL = { newBytes: 32 * MB, percent: 0 };
const NARROW = { newBytes: 8 * MB, percent: 15 };
/** So many who stay are a crowd: thousands of them would take more room that is not in use than all that they need. */
const CROWD = 100;
const LOOK_MS = 1_000;
/** So much is worth a look through everything, which takes tens of milliseconds. */
const MUCH = 64 * MB;
const PAUSE_MS = 10_000;
let room = USUAL;
let isCrowd = false;
let loaded: NodeJS.Timeout | undefined;
let mayGrow = true;

/** For a process that is the hub's own, when it has just started: loading it has taken room that serving does not need. */
export function boundHeap(): void {
  setInterval(look, LOOK_MS).unref();
  hasLetGo(MUCH);
}

/** V8 takes a largest size only at its start; by how much it grows at a time, it takes at any time. */
function look(): void {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  const isBelow = (young?.space_size ?? 0) < room.newBytes;
  if (isBelow === mayGrow) return;
  mayGrow = isBelow;
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
}

/** To be told whenever there are more or fewer who stay. */
export function holdHeapFor(count: number): void {
  isCrowd = count >= CROWD;
  choose();
}

/** To be told how many bytes of large things are held: while they are many, what was let go must not pile up beside them. */
export function holdHeapBeside(bytes: number): void {
  if (bytes < MUCH) return;
  loaded ??= setTimeout(() => {
    loaded = undefined;
    choose();
  }, PAUSE_MS).unref();
  loaded.refresh();
  choose();
}

function choose(): void {
  const wanted = isCrowd || loaded ? NARROW : USUAL;
  if (wanted === room) return;
  room = wanted;
  setFlagsFromString(`--heap-growing-percent=${room.percent}`);
}

let letGo = 0;
let pause: NodeJS.Timeout | undefined;

/** To be told of what was large and is not needed any more: after much of it the room is given back, a little later. */
export function hasLetGo(bytes: number): void {
  letGo += bytes;
  if (letGo < MUCH || pause) return;
  pause = setTimeout(giveBack, PAUSE_MS).unref();
}

function giveBack(): void {
  letGo = 0;
  pause = undefined;
  setFlagsFromString("--expose-gc");
  // Only contexts that are made after the flag know of it.
  runInNewContext("gc({ type: 'major', execution: 'async' })");
}
