/** How smoothly a page moves: the time between its frames, and what the browser itself reports as long. */
import type { Page } from "./playwright.ts";

export interface Smoothness {
  /** Milliseconds between one frame and the next, in order of size. */
  readonly frames: readonly number[];
  /** Tasks of more than 50 ms on the page's only thread. */
  readonly longTasks: readonly number[];
  /** Frames of which the browser says that they took long, and what ran in them. */
  readonly longFrames: readonly { readonly ms: number; readonly scripts: readonly string[] }[];
}

const BEGIN = `globalThis.smoothness = { frames: [], longTasks: [], longFrames: [] };
(() => {
  const { frames, longTasks, longFrames } = globalThis.smoothness;
  let last = performance.now();
  const frame = (now) => {
    frames.push(now - last);
    last = now;
    globalThis.nextFrame = requestAnimationFrame(frame);
  };
  globalThis.nextFrame = requestAnimationFrame((now) => { last = now; frame(now); frames.length = 0; });
  globalThis.observers = [
    ["longtask", (entry) => longTasks.push(entry.duration)],
    ["long-animation-frame", (entry) => longFrames.push({
      ms: entry.duration,
      scripts: entry.scripts.map((script) =>
        script.sourceURL.split("/").slice(-2).join("/") + " " + script.sourceFunctionName + " " + script.duration),
    })],
  ].map(([type, take]) => {
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(take));
    observer.observe({ type });
    return observer;
  });
})()`;

const END = `(() => {
  cancelAnimationFrame(globalThis.nextFrame);
  globalThis.observers.forEach((observer) => observer.disconnect());
  return globalThis.smoothness;
})()`;

/** Over whatever is done meanwhile. */
export async function framesDuring(page: Page, work: () => Promise<void>): Promise<Smoothness> {
  await page.evaluate(BEGIN);
  await work();
  const seen = await page.evaluate<Smoothness>(END);
  return { ...seen, frames: [...seen.frames].sort((one, other) => one - other) };
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** One line for people. */
export function told(what: string, { frames, longTasks, longFrames }: Smoothness): string {
  const [median, p99, worst] = [quantile(frames, 0.5), quantile(frames, 0.99), frames.at(-1) ?? Number.NaN];
  const numbers = [`median ${median.toFixed(1)} ms`, `p99 ${p99.toFixed(1)} ms`, `worst ${worst.toFixed(1)} ms`];
  const longest = Math.max(0, ...longTasks);
  const tasks = `${longTasks.length} tasks over 50 ms${longest > 0 ? ` (longest ${longest.toFixed(0)} ms)` : ""}`;
  const scripts = longFrames.flatMap((frame) => frame.scripts).slice(0, 3);
  return `${what}: ${frames.length} frames, ${numbers.join(", ")}; ${tasks}${scripts.length > 0 ? `; in ${scripts.join("; ")}` : ""}`;
}
