/** One attempt to connect, with an end to its patience. What comes too late is closed, never used and never left behind. */
import type { Clock } from "../core/ports.ts";
import type { CancelSignal } from "../light-abort.ts";
import type { Connection } from "./source.ts";

/** A kind has this long to clean up after its signal; one that does not heed it is not waited for any longer. */
const HEED_MS = 15_000;

/**
 * Resolves with a connection only if the signal was never aborted; else rejects with the signal's reason, after the kind
 * has cleaned up.
 */
export async function attempt(
  connect: (signal: CancelSignal) => Promise<Connection>,
  signal: CancelSignal,
  clock: Clock,
): Promise<Connection> {
  const patience = new Patience(signal, clock);
  const connecting = begin(connect, signal);
  try {
    const connection = await Promise.race([connecting, patience.over]);
    if (!signal.aborted) return connection;
    await close(connection);
  } catch (error) {
    if (!signal.aborted) throw error;
    void connecting.then(close, () => {});
  } finally {
    patience.stop();
  }
  throw signal.reason;
}

/** Rejects some time after the signal. */
class Patience {
  readonly over: Promise<never>;
  stop: () => void = () => {};

  constructor(signal: CancelSignal, clock: Clock) {
    this.over = new Promise((_resolve, reject) => {
      const onAbort = (): void => {
        this.stop = clock.after(HEED_MS, () => reject(signal.reason));
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.stop = () => signal.removeEventListener("abort", onAbort);
    });
  }
}

// A kind that throws instead of rejecting has failed all the same.
async function begin(
  connect: (signal: CancelSignal) => Promise<Connection>,
  signal: CancelSignal,
): Promise<Connection> {
  if (signal.aborted) throw signal.reason;
  return await connect(signal);
}

async function close(connection: Connection): Promise<void> {
  await connection.close().catch(() => {});
}
