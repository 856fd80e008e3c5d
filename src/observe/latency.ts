/**
 * How long things took, kept as counts on a logarithmic scale: eight buckets to every doubling, from a microsecond to
 * half an hour. What is read from it is off by at most a sixteenth, and taking one in costs a few nanoseconds.
 */

/** Below eight microseconds every one has its own; then eight for each power of two that 31 bits have. */
export const LATENCY_BUCKETS = 232;

const LONGEST_MICROS = 0x7fff_ffff;

/**
 * Whole microseconds; what lasts longer than half an hour counts as that. A small integer is handed from function to
 * function for nothing, where a fraction would become an object each time.
 */
export function microsOf(ms: number): number {
  return ms > 0 ? Math.min(ms * 1_000, LONGEST_MICROS) | 0 : 0;
}

export function latencyBucket(micros: number): number {
  if (micros < 8) return micros;
  const octave = 31 - Math.clz32(micros);
  return ((octave - 2) << 3) | ((micros >>> (octave - 3)) & 7);
}

/** The middle of a bucket, in milliseconds. */
export function latencyIn(bucket: number): number {
  if (bucket < 8) return (bucket + 0.5) / 1_000;
  const width = 2 ** ((bucket >> 3) - 1);
  return ((8 + (bucket & 7)) * width + width / 2) / 1_000;
}

/** The latency that this share of all stayed within; 0 where there were none. */
export function percentile(counts: Uint32Array, share: number): number {
  let total = 0;
  for (const count of counts) total += count;
  const rank = Math.max(1, Math.ceil(total * share));
  let passed = 0;
  for (let bucket = 0; bucket < counts.length; bucket++) {
    passed += counts[bucket] ?? 0;
    if (passed >= rank) return latencyIn(bucket);
  }
  return 0;
}
