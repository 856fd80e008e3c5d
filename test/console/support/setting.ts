/** A test in the console: a hub of its own, a browser at it, and the judgement at the end. */
import { after, type TestContext, test } from "node:test";
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

/** Something to be done at the end, however that comes; what came last goes first. */
export type Later = (close: () => unknown) => void;

/** What a hub needs may have to be started before it. */
export type Preparation = SettingOptions | ((later: Later) => Promise<SettingOptions>);

export interface Setting {
  readonly hub: SpawnedZaguan;
  /** Another client of the same hub. */
  readonly client: RegistryClient;
  readonly visit: Visit;
  readonly page: Page;
  readonly later: Later;
  /** For what people want to know of it. */
  readonly t: TestContext;
}

let browser: Promise<Browser> | undefined;

/** The browser of this file, started by the first who needs it. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= openBrowser();
  return browser;
}

after(async () => (await browser)?.close());

export function inConsole(name: string, prepared: Preparation, body: (setting: Setting) => Promise<unknown>): void {
  test(name, async (t) => {
    const closings: (() => unknown)[] = [];
    const later: Later = (close) => void closings.unshift(close);
    try {
      await run(t, typeof prepared === "function" ? await prepared(later) : prepared, later, body);
    } finally {
      for (const close of closings) await close();
    }
  });
}

async function run(
  t: TestContext,
  { at, browser: manner, unopened, ...hubOptions }: SettingOptions,
  later: Later,
  body: (setting: Setting) => Promise<unknown>,
): Promise<void> {
  const hub = await spawnZaguan(hubOptions);
  later(() => hub.stop());
  const visit = await Visit.start(await sharedBrowser(), hub.url, manner);
  later(() => visit.abandon());
  try {
    if (!unopened) await visit.open(at);
    await body({ hub, client: new RegistryClient(hub.url), visit, page: visit.page, later, t });
    await visit.end();
  } catch (error) {
    t.diagnostic(`the page as it was: ${await visit.picture().catch(() => "not to be had")}`);
    for (const line of visit.unexpected()) t.diagnostic(line);
    throw error;
  }
}
