/**
 * What a code says: for how long the light is on, off, on … Each time is a number of units of 8 µs, seven bits to a byte,
 * the lowest first; the top bit says that more follows, and three bytes are the most. Pure.
 */

const UNIT_US = 8;
const MOST_BYTES = 3;

/** In microseconds, the first one lit; undefined if the bytes are no such list. */
export function durationsOf(code: Uint8Array): readonly number[] | undefined {
  const durations: number[] = [];
  let [units, bytes] = [0, 0];
  for (const byte of code) {
    units += (byte & 0x7f) << (7 * bytes);
    bytes += 1;
    if (byte < 0x80) {
      durations.push(units * UNIT_US);
      [units, bytes] = [0, 0];
    } else if (bytes === MOST_BYTES) return undefined;
  }
  return bytes === 0 ? durations : undefined;
}
