/** Milliseconds of the monotonic clock that all processes of this machine share; `life-server.mjs` uses the same clock. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
