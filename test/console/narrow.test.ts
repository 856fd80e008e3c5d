/** A telephone's screen, 360 pixels wide: nothing lies beyond its edge, on no page and in no language. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Lively, openLively } from "./support/lively.ts";
import { PAGES } from "./support/pages.ts";
import type { Page } from "./support/playwright.ts";
import { EXPECTED, SCENES, stage } from "./support/scenes.ts";
import { sharedBrowser } from "./support/setting.ts";
import { Visit } from "./support/visit.ts";

const NARROW = { viewport: { width: 360, height: 740 } };

/** What sticks out of the window and can be reached by no scrolling of its own. */
const BEYOND = `(() => {
  const width = document.documentElement.clientWidth;
  const scrolls = (element) => ["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(element).overflowX);
  const isHeld = (element) => {
    for (let one = element.parentElement; one && one !== document.body; one = one.parentElement) if (scrolls(one)) return true;
    return false;
  };
  const beyond = [...document.querySelectorAll("body *")].filter((element) => {
    const { left, right, width: wide } = element.getBoundingClientRect();
    return wide > 0 && (right > width + 1 || left < -1) && !element.closest(".skip, .hidden-text, svg") && !isHeld(element);
  });
  const names = beyond.slice(0, 5).map((element) => element.tagName + "." + element.className + " " + (element.textContent ?? "").slice(0, 40));
  const overflow = document.documentElement.scrollWidth - width;
  return overflow > 0 ? [...names, "the page is " + overflow + " pixels too wide"] : names;
})()`;

async function assertFits(page: Page, what: string): Promise<void> {
  assert.deepEqual(await page.evaluate(BEYOND), [], what);
}

describe("on a narrow screen nothing lies beyond the edge of", () => {
  let lively: Lively;
  before(async () => {
    lively = await openLively();
  });
  after(() => lively?.close());

  for (const scene of SCENES) {
    test(scene.name, async () => {
      const visit = await Visit.start(await sharedBrowser(), lively.hub.url, NARROW);
      visit.expect(...EXPECTED);
      try {
        await assertFits(await stage(scene, visit, lively), scene.name);
        await visit.end();
      } finally {
        await visit.abandon();
      }
    });
  }

  for (const locale of ["es", "fr", "zh"]) {
    test(`any page in ${locale}`, async () => {
      const visit = await Visit.start(await sharedBrowser(), lively.hub.url, { ...NARROW, locale });
      try {
        for (const { name } of PAGES) {
          const page = await stage({ name, at: `#/${name}` }, visit, lively);
          await assertFits(page, `${name} in ${locale}`);
        }
        await visit.end();
      } finally {
        await visit.abandon();
      }
    });
  }
});
