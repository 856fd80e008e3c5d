/** Waits for something in the page. Asked from outside: the page's policy lets nothing be evaluated inside of it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "./playwright.ts";

const LIMIT_MS = 60_000;

/** Who is asked in the middle of a way to another page gives no answer, and is asked again. */
export async function untilInPage(page: Page, script: string): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    const { isSo, failure } = await page.evaluate(script).then(
      (value) => ({ isSo: Boolean(value), failure: undefined }),
      (cause: unknown) => ({ isSo: false, failure: cause }),
    );
    if (isSo) return;
    if (performance.now() > end) throw new Error(`still not so in the page: ${script}`, { cause: failure });
    await sleep(50);
  }
}
