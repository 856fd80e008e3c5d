/** A test in the console: a hub of its own, a browser at it, and the judgement at the end. */
import { after, test } from "node:test";
import { RegistryClient } from "../../support/registry-client.ts";
import { type SpawnedZaguan, type SpawnOptions, spawnZaguan } from "../../support/spawn-zaguan.ts";
import { openBrowser } from "./browser.ts";
import type { Browser, ContextOptions, Page } from "./playwright.ts";
import { Visit } from "./visit.ts";

export interface SettingOptions extends SpawnOptions {
  /** The page that is open when the test begins. @default the first one */
  readonly at?: string;
  /** How the browser is. */
  readonly browser?: ContextOptions;
  /** Opens nothing by itself. */
  readonly unopened?: boolean;
}

export interface Setting {
  readonly hub: SpawnedZaguan;
  /** Another client of the same hub. */
  readonly client: RegistryClient;
  readonly visit: Visit;
  readonly page: Page;
}

let browser: Promise<Browser> | undefined;

/** The browser of this file, started by the first who needs it. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= openBrowser();
  return browser;
}

after(async () => (await browser)?.close());

export function inConsole(name: string, options: SettingOptions, body: (setting: Setting) => Promise<void>): void {
  test(name, async (t) => {
    const { at, browser: manner, unopened, ...hubOptions } = options;
    const hub = await spawnZaguan(hubOptions);
    const visit = await Visit.start(await sharedBrowser(), hub.url, manner);
    try {
      if (!unopened) await visit.open(at);
      await body({ hub, client: new RegistryClient(hub.url), visit, page: visit.page });
      await visit.end();
    } catch (error) {
      t.diagnostic(`the page as it was: ${await visit.picture().catch(() => "not to be had")}`);
      for (const line of visit.unexpected()) t.diagnostic(line);
      await visit.abandon();
      throw error;
    } finally {
      await hub.stop();
    }
  });
}
