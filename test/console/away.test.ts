/** The hub goes away and comes back: the page says so, and goes on by itself. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { RegistryClient } from "../support/registry-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import type { Page } from "./support/playwright.ts";
import { sharedBrowser } from "./support/setting.ts";
import { Visit } from "./support/visit.ts";

const GONE = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;

interface Away {
  readonly visit: Visit;
  readonly page: Page;
  hub: SpawnedZaguan;
  /** At the same address, with the same data. */
  comeBack(): Promise<void>;
}

function whileAway(name: string, body: (away: Away) => Promise<void>): void {
  test(name, async () => {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-away-"));
    const hub = await spawnZaguan({ folder });
    const visit = await Visit.start(await sharedBrowser(), hub.url);
    visit.expect(GONE);
    const comeBack = async (): Promise<void> => {
      away.hub = await spawnZaguan({ folder, args: ["--port", new URL(visit.url).port] });
    };
    const away: Away = { visit, page: visit.page, hub, comeBack };
    try {
      await visit.open();
      await visit.page.getByRole("switch", { name: "Lamp salon", checked: false }).waitFor();
      await body(away);
      await visit.end();
    } finally {
      await visit.abandon();
      await away.hub.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

whileAway("a hub that is stopped and started again is noticed, both times, without a reload", async (away) => {
  const { page } = away;
  await page.evaluate("globalThis.isTheSamePage = true");
  await away.hub.stop();
  await page.getByText("hub not reached").waitFor();
  await away.comeBack();
  await page.getByText("live", { exact: true }).waitFor({ timeout: 30_000 });
  await new RegistryClient(away.hub.url).textOf("/mcp", "set_light_state", { name: "salon", on: true });
  await page.getByRole("switch", { name: "Lamp salon", checked: true }).waitFor();
  assert.equal(await page.evaluate("globalThis.isTheSamePage"), true);
});

whileAway("what is tried while the hub is away fails with a word, and works afterwards", async (away) => {
  const { page } = away;
  const lamp = page.getByRole("switch", { name: "Lamp salon" });
  await away.hub.stop();
  await page.getByText("hub not reached").waitFor();
  await lamp.click();
  await page.getByText("The lamp salon was not switched").first().waitFor();
  assert.equal(await lamp.isChecked(), false);
  await away.comeBack();
  await page.getByText("live", { exact: true }).waitFor({ timeout: 30_000 });
  await lamp.click();
  await page.getByRole("switch", { name: "Lamp salon", checked: true }).waitFor();
});

whileAway("a page that cannot be fetched says so, and is fetched when it is tried again", async (away) => {
  const { page, visit } = away;
  await away.hub.stop();
  await page.getByText("hub not reached").waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Tools" }).click();
  await page.getByRole("alert").first().waitFor();
  await away.comeBack();
  await page.getByRole("button", { name: "Try again" }).first().click();
  await visit.live();
  await page.getByText("set_light_state").first().waitFor();
});
