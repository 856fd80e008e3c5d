/** Hubs of one test file, and whatever else it opens: all are closed after its last test, the newest first. */
import { after } from "node:test";
import { type SpawnedZaguan, spawnZaguan } from "./spawn-zaguan.ts";

export const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

export async function opened(...args: Parameters<typeof spawnZaguan>): Promise<SpawnedZaguan> {
  const hub = await spawnZaguan(...args);
  closing.push(() => hub.stop());
  return hub;
}
