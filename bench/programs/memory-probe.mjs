/**
 * Loaded into a measured process (`--import`, with `--expose-gc`): at SIGUSR2 it collects what is garbage and says on
 * standard error what is left.
 */
import process from "node:process";

process.on("SIGUSR2", () => {
  globalThis.gc();
  // What finalizers and timers let go of is garbage only now.
  setTimeout(() => {
    globalThis.gc();
    const { rss, heapUsed, external } = process.memoryUsage();
    process.stderr.write(`memory-probe ${JSON.stringify({ rss, heapUsed, external })}\n`);
  }, 100);
});
