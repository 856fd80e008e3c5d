/** Waits for something in the page. Asked from outside: the page's policy lets nothing be evaluated inside of it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "./playwright.ts";

const LIMIT_MS = 15_000;

export async function untilInPage(page: Page, script: string): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!(await page.evaluate(script))) {
    if (performance.now() > end) throw new Error(`still not so in the page: ${script}`);
    await sleep(50);
  }
}
