/**
 * The pictures of the console in docs/console: a hub in which something goes on, looked at page by page in Chromium. A
 * picture in which only numbers and times are others than before is left as it was, so that it changes when the page does.
 *
 *   npm run screenshots            those that changed
 *   npm run screenshots -- --all   all of them
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openBrowser } from "../test/console/support/browser.ts";
import { type Lively, openLively } from "../test/console/support/lively.ts";
import type { Browser, Page } from "../test/console/support/playwright.ts";
import { type Scene, stage } from "../test/console/support/scenes.ts";
import { Visit } from "../test/console/support/visit.ts";
import type { RegistryClient } from "../test/support/registry-client.ts";

const FOLDER = fileURLToPath(new URL("../docs/console", import.meta.url));
/** The usual one: addresses are seen in pictures. */
const HUB_PORT = 3003;
/** A share of the pixels that another time may change: one number of a page. */
const STEADY = 0.000_5;
/** So that there is something to draw. */
const FIGURES_MS = 60_000;

interface Picture extends Scene {
  readonly file: string;
  readonly colorScheme?: "light" | "dark";
  /** The same for a page of which the most are times and numbers. */
  readonly unsteady?: number;
}

const PICTURES: readonly Picture[] = [
  { file: "house", name: "the house", at: "#/house" },
  { file: "house-dark", name: "the house in the dark", at: "#/house", colorScheme: "dark" },
  { file: "servers", name: "servers", at: "#/servers" },
  {
    file: "tools",
    name: "a tool that was called",
    at: "#/tools/house/set_light_state",
    act: async (page) => {
      await page.getByLabel("name", { exact: true }).fill("salon");
      await page.getByLabel("on", { exact: true }).selectOption({ label: "true" });
      await page.getByRole("button", { name: "Call", exact: true }).click();
      const answer = page.getByRole("region", { name: "Response", exact: true });
      await answer.getByRole("status").filter({ hasText: /after/ }).waitFor();
    },
  },
  {
    file: "calls",
    name: "calls, one of them open",
    unsteady: 0.005,
    at: "#/calls",
    act: async (page) => {
      await page
        .getByRole("link", { name: /tool failed/ })
        .first()
        .click();
      await page.getByRole("dialog").getByText("Way through the hub").waitFor();
    },
  },
  { file: "agents", name: "an agent", at: "#/agents/kitchen" },
  { file: "figures", name: "figures", at: "#/figures", unsteady: 0.05, act: (_, { client }) => keepBusy(client) },
];

mkdirSync(FOLDER, { recursive: true });
const lively = await openLively({ port: HUB_PORT });
const browser = await openBrowser();
try {
  for (const picture of PICTURES) await take(picture, browser, lively);
} finally {
  await browser.close();
  await lively.close();
}

async function take(picture: Picture, browser: Browser, lively: Lively): Promise<void> {
  const { file, colorScheme = "light", unsteady = STEADY } = picture;
  const visit = await Visit.start(browser, lively.hub.url, { colorScheme, timezoneId: "UTC" });
  const page = await stage(picture, visit, lively);
  await page.evaluate("document.activeElement?.blur(), scrollTo(0, 0)");
  await sleep(1_000);
  const taken = await page.screenshot({});
  const path = join(FOLDER, `${file}.png`);
  const before = existsSync(path) ? readFileSync(path) : undefined;
  const changed = before === undefined ? 1 : await difference(page, before, taken);
  const isKept = changed < unsteady && !process.argv.includes("--all");
  if (!isKept) writeFileSync(path, taken);
  const told = isKept ? "left as it was" : `written, ${Math.round(taken.length / 1_000)} kB`;
  console.log(`docs/console/${file}.png: ${(changed * 100).toFixed(2)} % other pixels, ${told}`);
  await visit.end();
}

/** The share of pixels that differ clearly; 1 where the size does. The browser reads its own pictures best. */
function difference(page: Page, one: Buffer, other: Buffer): Promise<number> {
  const addresses = [one, other].map((picture) => `data:image/png;base64,${picture.toString("base64")}`);
  return page.evaluate<number>(`(async () => {
    const [one, other] = await Promise.all(${JSON.stringify(addresses)}.map(async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const drawing = canvas.getContext("2d");
      drawing.drawImage(image, 0, 0);
      return drawing.getImageData(0, 0, image.width, image.height);
    }));
    if (one.width !== other.width || one.height !== other.height) return 1;
    let different = 0;
    for (let at = 0; at < one.data.length; at += 4) {
      const distance = [0, 1, 2].map((colour) => Math.abs(one.data[at + colour] - other.data[at + colour]));
      if (Math.max(...distance) > 32) different++;
    }
    return different / (one.width * one.height);
  })()`);
}

/** Calls in waves for a while, some of which fail. */
async function keepBusy(client: RegistryClient): Promise<void> {
  const end = performance.now() + FIGURES_MS;
  for (let call = 0; performance.now() < end; call++) {
    const pause = 40 + 30 * Math.sin(call / 40);
    void client.call("/mcp", ["get_presence", "current_weather", "get_all_states"][call % 3] ?? "", { q: "Madrid" });
    if (call % 50 === 0) void client.call("/mcp", "set_light_state", { name: call });
    await sleep(pause);
  }
}
