/**
 * 2,000 tools and 500 calls in every second: the page that lists calls, and the one that searches tools, stay responsive.
 * Hub, browser, callers and the server with the tools are processes of their own; what they share are the machine's cores,
 * so ours is held against an empty page that is measured at the same time.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { text } from "node:stream/consumers";
import { after, before, describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { RegistryClient } from "../support/registry-client.ts";
import { cleanEnvironment, type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { framesDuring, type Smoothness, told } from "./support/frames.ts";
import { sharedBrowser } from "./support/setting.ts";
import { Visit } from "./support/visit.ts";

const TOOLS = 2_000;
const PER_SECOND = 500;
const TRACE_MS = 10_000;
/** How many frames of the empty page our longest may last: 100 ms where a frame takes its 16.7 ms. */
const LONGEST_RATIO = 6;
const FRAME_MS = 1_000 / 60;
/** One of these must be good, on a machine that others use as well. */
const ROUNDS = 4;

let server: ChildProcess;
let hub: SpawnedZaguan;
let visit: Visit;

function start(script: string, ...args: readonly string[]): ChildProcess {
  const file = fileURLToPath(new URL(`./support/${script}`, import.meta.url));
  return spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "inherit"], env: cleanEnvironment() });
}

before(async () => {
  server = start("many-tools.ts", String(TOOLS));
  const [address] = (await once(server.stdout?.setEncoding("utf8") ?? assert.fail(), "data")) as [string];
  hub = await spawnZaguan({ config: { log: { level: "warn" } } });
  const client = new RegistryClient(hub.url);
  const found = await client.found("many", address.trim());
  assert.ok(found.length >= TOOLS);
  visit = await Visit.start(await sharedBrowser(), hub.url);
});
after(async () => {
  await visit?.end();
  await hub?.stop();
  server?.kill();
});

interface Load {
  readonly answered: number;
  readonly failed: number;
  readonly seconds: number;
}

/** While the calls come; they begin before the trace and end after it. */
async function underLoad<Seen>(work: () => Promise<Seen>): Promise<{ load: Load; seen: Seen }> {
  const calls = start("load.ts", hub.url, String(PER_SECOND), String(TRACE_MS / 1_000 + 4));
  const said = text(calls.stdout ?? assert.fail());
  await visit.page.waitForTimeout(2_000);
  const seen = await work();
  return { load: JSON.parse(await said) as Load, seen };
}

/** Rounds until one is good. Where the machine could not make so many calls beside, the test says so by being skipped. */
async function measure(t: TestContext, what: string, work: () => Promise<void>): Promise<void> {
  const ratios: number[] = [];
  let hasKept = false;
  let isSmooth = false;
  for (let round = 0; round < ROUNDS; round++) {
    const { ours, empty, load } = await oneRound(work);
    t.diagnostic(told("an empty page", empty));
    t.diagnostic(told(what, ours));
    t.diagnostic(`${(load.answered / load.seconds).toFixed(0)} calls answered in a second, ${load.failed} failed`);
    assert.equal(load.failed, 0);
    // Where the empty page is not drawn either, that says something of the machine alone.
    assert.ok(ours.frames.length > Math.min(100, empty.frames.length / 2), "hardly anything was drawn");
    const ratio = worstOf(ours) / Math.max(FRAME_MS, worstOf(empty));
    ratios.push(Math.round(ratio * 10) / 10);
    const keeps = load.answered / load.seconds > PER_SECOND * 0.95;
    hasKept ||= keeps;
    isSmooth ||= ratio <= LONGEST_RATIO;
    if (keeps && ratio <= LONGEST_RATIO) return;
  }
  // A round in which the machine could not make the calls judges nothing.
  const seen = `the longest frame, in frames of an empty page, was in each round: ${ratios.join(", ")}`;
  assert.ok(isSmooth || !hasKept, seen);
  t.skip(`this machine is too busy for ${PER_SECOND} calls in a second; ${seen}`);
}

async function oneRound(work: () => Promise<void>): Promise<{ ours: Smoothness; empty: Smoothness; load: Load }> {
  const beside = await Visit.start(await sharedBrowser(), "about:blank");
  const { load, seen } = await underLoad(() =>
    Promise.all([framesDuring(visit.page, work), framesDuring(beside.page, () => visit.page.waitForTimeout(TRACE_MS))]),
  );
  await beside.end();
  return { ours: seen[0], empty: seen[1], load };
}

function worstOf({ frames }: Smoothness): number {
  return frames.at(-1) ?? Number.POSITIVE_INFINITY;
}

describe(`${TOOLS} tools and ${PER_SECOND} calls in a second`, () => {
  test("the list of calls stays responsive", async (t) => {
    const page = await visit.open("#/calls");
    await page.getByText("Loading…").first().waitFor({ state: "detached" });
    await measure(t, "the list of calls", () => page.waitForTimeout(TRACE_MS));
    await page.getByText("get_presence").first().waitFor();
  });

  test("the search over all tools stays responsive while somebody types", async (t) => {
    const page = await visit.open("#/tools");
    const search = page.getByRole("searchbox").first();
    await search.waitFor();
    await measure(t, "the search over tools", async () => {
      const end = performance.now() + TRACE_MS;
      while (performance.now() < end) {
        await search.fill("");
        await search.pressSequentially("herramienta-19", { delay: 120 });
      }
    });
    await search.fill("herramienta-1999");
    await page.getByRole("link", { name: /^herramienta-1999/ }).waitFor();
  });
});
