/** A source of Home Assistant's kind before a simulated one, by itself or under its supervisor, with all that it said. */
import { systemClock } from "../../src/compose/system.ts";
import type { HubEvent } from "../../src/core/events.ts";
import type { Language } from "../../src/messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../../src/protocol/json/payload.ts";
import type { HomeAssistantOptions } from "../../src/sources/home-assistant/house.ts";
import { homeAssistant } from "../../src/sources/home-assistant/source.ts";
import type { ConnectContext, Connection, Source, SourceRequest } from "../../src/sources/source.ts";
import { supervise } from "../../src/sources/supervisor.ts";
import type { SimulatedHome } from "./home-assistant/index.ts";
import { never } from "./supervised.ts";

export interface Said {
  readonly method: string;
  readonly params: unknown;
}

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

type Asked = Pick<Connection, "request">;

export function optionsFor(home: SimulatedHome, more: Partial<HomeAssistantOptions> = {}): HomeAssistantOptions {
  return { url: home.url, token: home.token, allowPrivate: true, lastHeard: new Map(), ...more };
}

/** One connection and what it notified. */
export async function connectHouse(
  home: SimulatedHome,
  more: Partial<HomeAssistantOptions> = {},
): Promise<{ connection: Connection; said: Said[] }> {
  const said: Said[] = [];
  const context: ConnectContext = {
    name: "madrid",
    clock: systemClock,
    emit: () => {},
    onToolsChanged: () => {},
    onNotification: (method, { value }) => said.push({ method, params: value }),
    onRequest: () => Promise.reject(new Error("a house asks nothing")),
    onLog: () => {},
  };
  return { connection: await homeAssistant.connect(optionsFor(home, more), context, never), said };
}

/** Started, under a supervisor, with its events. */
export function superviseHouse(
  name: string,
  options: HomeAssistantOptions,
  readyMs = 10_000,
): { source: Source; events: HubEvent[]; said: Said[] } {
  const events: HubEvent[] = [];
  const said: Said[] = [];
  const ports = { clock: systemClock, random: Math.random, emit: (event: HubEvent) => events.push(event) };
  const policy = {
    readyMs,
    onToolsChanged: () => {},
    onNotification: (method: string, { value }: Payload) => said.push({ method, params: value }),
  };
  const source: Source = supervise(homeAssistant, name, options, policy, ports);
  source.start?.();
  return { source, events, said };
}

export async function callTool(
  house: Asked,
  name: string,
  args: object = {},
  language: Language = "fr",
  signal: SourceRequest["signal"] = never,
): Promise<ToolResult> {
  const request = { method: "tools/call", name, args: Payload.ofValue(args), language, signal };
  return JSON.parse((await house.request(request)).text) as ToolResult;
}

/** Any other request of MCP. */
export async function ask(house: Asked, method: string, params?: object, language: Language = "en"): Promise<unknown> {
  const given = params && Payload.ofValue(params);
  const request = { method, name: method, args: EMPTY_OBJECT, params: given, language, signal: never };
  return JSON.parse((await house.request(request)).text);
}

/** Waits until a condition holds that has to be asked for. */
export async function untilAsked(what: string, condition: () => Promise<boolean>, limitMs = 90_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`still not so: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function textOf({ content: [first] }: ToolResult): string {
  return first?.text ?? "";
}
