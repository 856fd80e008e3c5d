/** Axe finds nothing serious on any page, with content on it, in light and in dark. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertAccessible } from "./support/axe.ts";
import { type Lively, openLively } from "./support/lively.ts";
import { PAGES } from "./support/pages.ts";
import { EXPECTED, SCENES, stage } from "./support/scenes.ts";
import { inConsole, sharedBrowser } from "./support/setting.ts";
import { Visit } from "./support/visit.ts";

/** What axe puts into a page for its work is not the page's; that the policy holds is seen in all other tests. */
const WITHOUT_POLICY = { bypassCSP: true, colorScheme: "light" } as const;

describe("axe finds nothing serious in", () => {
  let lively: Lively;
  before(async () => {
    lively = await openLively();
  });
  after(() => lively?.close());

  for (const scene of SCENES) {
    test(scene.name, async () => {
      const visit = await Visit.start(await sharedBrowser(), lively.hub.url, WITHOUT_POLICY);
      visit.expect(...EXPECTED);
      try {
        const page = await stage(scene, visit, lively);
        await assertAccessible(page, `${scene.name}, light`);
        await page.emulateMedia({ colorScheme: "dark" });
        await assertAccessible(page, `${scene.name}, dark`);
        await visit.end();
      } finally {
        await visit.abandon();
      }
    });
  }
});

const LOCKED = { config: { auth: { requireKey: true } }, unopened: true, browser: WITHOUT_POLICY };

inConsole("axe finds nothing serious where a key is asked for", LOCKED, async ({ page, visit }) => {
  visit.expect(/401/);
  await page.goto(visit.url);
  await page.getByLabel("Key", { exact: true }).fill("zgn_wrong");
  await page.getByRole("button", { name: "Enter" }).click();
  await page.getByText("This key is invalid or revoked.").waitFor();
  await assertAccessible(page, "the question for a key, light");
  await page.emulateMedia({ colorScheme: "dark" });
  await assertAccessible(page, "the question for a key, dark");
});

const EMPTY = { config: { devices: { house: false } }, browser: WITHOUT_POLICY };

inConsole("axe finds nothing serious in a house in which there is nothing", EMPTY, async ({ page, visit }) => {
  for (const { name } of PAGES) {
    await visit.open(`#/${name}`);
    await page.locator("main progress").first().waitFor({ state: "detached" });
    await assertAccessible(page, name);
  }
});

inConsole(
  "axe would find it: a picture without words and a button without a name",
  { browser: WITHOUT_POLICY },
  async ({ page }) => {
    await page.evaluate("document.querySelector('main').append(document.createElement('button'), new Image(10, 10))");
    await assert.rejects(assertAccessible(page, "spoiled"), /button-name[\s\S]*image-alt/);
  },
);
