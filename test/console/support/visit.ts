/**
 * One who opens the console: a page, and everything that it asked for and complained of. What nobody expected is a failure
 * when the visit ends: a line on the browser's console, an exception, a request that failed, a request to anywhere else.
 */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Context, ContextOptions, Page, Request } from "./playwright.ts";

/** A time that no working machine needs, however busy. */
const PATIENCE_MS = 60_000;
/** These ask nobody. */
const INSIDE = ["about:", "data:", "blob:"];
const DESK = { width: 1280, height: 800 };

export class Visit {
  readonly page: Page;
  readonly url: string;
  readonly complaints: string[] = [];
  readonly requests: Request[] = [];
  /** Those whose answer is here, to its last byte. */
  readonly answered = new Set<Request>();
  readonly #context: Context;
  readonly #expected: RegExp[] = [];

  static async start(browser: Browser, url: string, options: ContextOptions = {}): Promise<Visit> {
    // Without moving parts unless a test wants them: what is looked at is what stays.
    const quiet = { locale: "en-GB", viewport: DESK, reducedMotion: "reduce", ...options } as const;
    const context = await browser.newContext(quiet);
    context.setDefaultTimeout(PATIENCE_MS);
    return new Visit(url, context, await context.newPage());
  }

  private constructor(url: string, context: Context, page: Page) {
    this.url = url;
    this.#context = context;
    this.page = page;
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(`console: ${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => this.complaints.push(`exception: ${error.stack ?? error.message}`));
    page.on("request", (request) => this.#asked(request.url(), request));
    page.on("requestfinished", (request) => this.answered.add(request));
    page.on("websocket", (socket) => this.#asked(socket.url()));
    page.on("requestfailed", (request) => {
      const reason = request.failure()?.errorText ?? "";
      // What the page itself takes back is no failure.
      if (reason !== "net::ERR_ABORTED") this.complaints.push(`failed: ${request.url()} ${reason}`);
    });
  }

  /** Opens a page of the console by what stands behind `#`, and waits until it is live. */
  async open(hash = ""): Promise<Page> {
    // From nowhere, so that it is loaded anew also where only what stands behind `#` is another.
    await this.page.goto("about:blank");
    await this.page.goto(`${this.url}/${hash}`);
    await this.live();
    return this.page;
  }

  /** Until the hub has told everything. */
  live(): Promise<void> {
    return this.page.locator('header.top .badge[data-tone="good"]').waitFor();
  }

  /** By the menu, as a person does. */
  async turnTo(name: string): Promise<void> {
    await this.page.getByRole("navigation").getByRole("link", { name }).click();
    await this.page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  }

  /** What a test brings about on purpose is no complaint. */
  expect(...patterns: readonly RegExp[]): void {
    this.#expected.push(...patterns);
  }

  unexpected(): string[] {
    return this.complaints.filter((line) => !this.#expected.some((pattern) => pattern.test(line)));
  }

  /** Where one can look at what went wrong. */
  async picture(): Promise<string> {
    const path = join(mkdtempSync(join(tmpdir(), "zaguan-console-")), "page.png");
    await this.page.screenshot({ path });
    return path;
  }

  async end(): Promise<void> {
    await this.#context.close();
    assert.deepEqual(this.unexpected(), []);
  }

  /** Without a judgement: another failure is to be told. */
  async abandon(): Promise<void> {
    await this.#context.close();
  }

  #asked(url: string, request?: Request): void {
    if (request) this.requests.push(request);
    const { protocol, host } = new URL(url);
    const isInside = INSIDE.includes(protocol) || host === new URL(this.url).host;
    if (!isInside) this.complaints.push(`another host was asked: ${url}`);
  }
}
