/**
 * The words of playwright-core that these tests use. It is loaded by a computed name and its types are written down here,
 * since the project's type check must pass where it is not installed.
 */
import { fileURLToPath } from "node:url";

export type RoleName =
  | ("alert" | "article" | "button" | "cell" | "checkbox" | "columnheader" | "combobox" | "dialog" | "form" | "group")
  | ("heading" | "img" | "link" | "list" | "listbox" | "listitem" | "main" | "menuitem" | "navigation" | "option")
  | ("progressbar" | "radio" | "region" | "row" | "rowheader" | "searchbox" | "spinbutton" | "status" | "switch")
  | ("tab" | "table" | "tabpanel" | "textbox");

export interface RoleOptions {
  readonly name?: string | RegExp;
  readonly exact?: boolean;
  readonly checked?: boolean;
  readonly pressed?: boolean;
  readonly selected?: boolean;
  readonly expanded?: boolean;
  readonly disabled?: boolean;
  readonly level?: number;
}

interface TextOptions {
  readonly exact?: boolean;
}

/** What both a page and a part of it can look for. */
interface Searchable {
  getByRole(role: RoleName, options?: RoleOptions): Locator;
  getByLabel(text: string | RegExp, options?: TextOptions): Locator;
  getByText(text: string | RegExp, options?: TextOptions): Locator;
  locator(selector: string, options?: { readonly hasText?: string | RegExp; readonly has?: Locator }): Locator;
}

export interface Patience {
  readonly timeout?: number;
}

export interface Locator extends Searchable {
  first(): Locator;
  last(): Locator;
  nth(index: number): Locator;
  filter(options: { readonly hasText?: string | RegExp; readonly has?: Locator; readonly visible?: boolean }): Locator;
  or(other: Locator): Locator;
  and(other: Locator): Locator;
  all(): Promise<Locator[]>;
  count(): Promise<number>;
  click(options?: Patience): Promise<void>;
  fill(text: string, options?: Patience): Promise<void>;
  pressSequentially(text: string, options?: { readonly delay?: number }): Promise<void>;
  press(key: string): Promise<void>;
  check(options?: Patience): Promise<void>;
  uncheck(options?: Patience): Promise<void>;
  selectOption(value: string | { readonly label: string }): Promise<string[]>;
  setInputFiles(file: { readonly name: string; readonly mimeType: string; readonly buffer: Buffer }): Promise<void>;
  focus(): Promise<void>;
  waitFor(options?: Patience & { readonly state?: "attached" | "detached" | "visible" | "hidden" }): Promise<void>;
  scrollIntoViewIfNeeded(): Promise<void>;
  textContent(): Promise<string | null>;
  innerText(): Promise<string>;
  allTextContents(): Promise<string[]>;
  inputValue(): Promise<string>;
  getAttribute(name: string): Promise<string | null>;
  isVisible(): Promise<boolean>;
  isChecked(): Promise<boolean>;
  isDisabled(): Promise<boolean>;
  isEnabled(): Promise<boolean>;
  boundingBox(): Promise<{
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  } | null>;
  ariaSnapshot(): Promise<string>;
}

export interface Request {
  url(): string;
  method(): string;
  failure(): { readonly errorText: string } | null;
  sizes(): Promise<{ readonly responseBodySize: number; readonly responseHeadersSize: number }>;
}

export interface ConsoleMessage {
  type(): string;
  text(): string;
  location(): { readonly url: string };
}

export interface Page extends Searchable {
  readonly keyboard: {
    press(key: string): Promise<void>;
    type(text: string, options?: { readonly delay?: number }): Promise<void>;
  };
  goto(url: string): Promise<{ status(): number } | null>;
  reload(): Promise<unknown>;
  url(): string;
  title(): Promise<string>;
  content(): Promise<string>;
  /** Written as text: what runs in the page knows nothing of this side, nor of its types. */
  evaluate<Value = unknown>(script: string): Promise<Value>;
  waitForTimeout(ms: number): Promise<void>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  emulateMedia(options: {
    readonly colorScheme?: "light" | "dark";
    readonly reducedMotion?: "reduce" | "no-preference";
  }): Promise<void>;
  screenshot(options: { readonly path?: string }): Promise<Buffer>;
  addInitScript(script: string): Promise<void>;
  context(): Context;
  close(): Promise<void>;
  frames(): readonly { url(): string; evaluate<Value>(script: string): Promise<Value> }[];
  on(event: "console", listener: (message: ConsoleMessage) => void): void;
  on(event: "pageerror", listener: (error: Error) => void): void;
  on(event: "request" | "requestfailed" | "requestfinished", listener: (request: Request) => void): void;
  on(event: "websocket", listener: (socket: { url(): string }) => void): void;
}

export interface ContextOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: "light" | "dark";
  readonly reducedMotion?: "reduce" | "no-preference";
  readonly locale?: string;
  readonly timezoneId?: string;
  readonly permissions?: readonly string[];
  readonly deviceScaleFactor?: number;
  /** Lets in what the page's own policy would not. */
  readonly bypassCSP?: boolean;
}

export interface Context {
  newPage(): Promise<Page>;
  newCDPSession(page: Page): Promise<CdpSession>;
  setDefaultTimeout(ms: number): void;
  close(): Promise<void>;
}

/** The browser's own protocol, for what has no word in the library. */
export interface CdpSession {
  send(method: string, params?: object): Promise<Record<string, unknown>>;
  on(event: string, listener: (params: Record<string, unknown>) => void): void;
}

export interface Browser {
  newContext(options?: ContextOptions): Promise<Context>;
  version(): string;
  close(): Promise<void>;
}

export interface Playwright {
  readonly chromium: {
    launch(options: {
      readonly executablePath: string;
      readonly args: readonly string[];
      readonly chromiumSandbox: boolean;
    }): Promise<Browser>;
  };
}

/** A file of an installed package of test/console. */
export function modulePath(path: string): string {
  return fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
}

export async function loadPlaywright(): Promise<Playwright> {
  return (await import(modulePath("playwright-core/index.mjs"))) as Playwright;
}
