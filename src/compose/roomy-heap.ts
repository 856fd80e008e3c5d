/**
 * How much room V8 takes beyond what is in use. What is new has a space that grows with what survives, what is old may
 * double before it is looked through, and neither is ever given back to the system: where thousands come to stay, that is
 * more than all of them need. So it is held short while there is a crowd, at the price of looking through it more often.
 */
import { setFlagsFromString } from "node:v8";

/** So many who stay are a crowd. */
const CROWD = 100;
const USUAL = ["--semi-space-growth-factor=2", "--heap-growing-percent=0"];
const SHORT = ["--semi-space-growth-factor=1", "--heap-growing-percent=15"];
let isShort = false;

/** To be told how many there are whenever that changes. */
export function holdHeapFor(count: number): void {
  const mustBeShort = count >= CROWD;
  if (mustBeShort === isShort) return;
  isShort = mustBeShort;
  for (const flag of isShort ? SHORT : USUAL) setFlagsFromString(flag);
}
