/** The kinds of servers that a configuration can name, one line each. */
import type { HomeAssistantConfig, ServerConfig } from "../config/types.ts";
import type { KnownOffers } from "../core/hub.ts";
import type { ApiOptions } from "./api/operation.ts";
import type { DeviceChannel } from "./device/channel.ts";
import { lineJson } from "./line-json.ts";
import { EraMemory } from "./mcp-client/era-memory.ts";
import { REMOTE, type RemoteOptions, TransportMemory } from "./remote/options.ts";
import type { SourceKind } from "./source.ts";
import { mayInstall, startSeconds, stdio } from "./stdio.ts";

export interface ServerSettings {
  readonly lineBytes: number;
  readonly allowPrivate: boolean;
}

/** A kind with the options it needs, ready to be supervised. */
export interface PreparedSource {
  readonly kind: SourceKind<unknown>;
  readonly options: unknown;
  /** How long it may take to become ready, unless configured; where the kind of source has its own time. */
  readonly readySeconds?: number | undefined;
  /** What it offers, where that is known without asking it. */
  readonly known?: KnownOffers | undefined;
}

const INSTALLER_TERM_MS = 10_000;

/** Loaded with the first that is dialled: a hub of child processes alone never needs it. */
const remote: SourceKind<RemoteOptions> = {
  ...REMOTE,
  connect: async (...args) => (await import("./remote/remote.ts")).remote.connect(...args),
};

const KINDS: Readonly<
  Record<ServerConfig["type"], (server: ServerConfig, settings: ServerSettings) => PreparedSource>
> = {
  stdio: (server, settings) => {
    const era = { memory: new EraMemory(), revision: server.protocol };
    return prepared(stdio, { ...childOptions(server, settings), ...era });
  },
  line: (server, settings) => prepared(lineJson, { ...childOptions(server, settings), readyMs: readyMsOf(server) }),
  http: (server, settings) => prepared(remote, urlOptions(server, settings, "http")),
  sse: (server, settings) => prepared(remote, urlOptions(server, settings, "sse")),
  websocket: (server, settings) => prepared(remote, urlOptions(server, settings, "websocket")),
};

/** How sources of the sections in `sections.ts` are prepared, by the section's key: one line each. */
export const PREPARE_SECTIONS: Readonly<
  Record<string, (name: string, entry: never, settings: ServerSettings) => Promise<PreparedSource>>
> = {
  mqtt: async (...given) => (await import("./mqtt/index.ts")).prepareMqtt(...given),
};

export function prepareServer(server: ServerConfig, settings: ServerSettings): PreparedSource {
  const prepared = KINDS[server.type](server, settings);
  return server.command === undefined ? prepared : { ...prepared, readySeconds: startSeconds(server.command) };
}

/** Of a house it is known beforehand what it offers. Loaded where there is one: most hubs have none. */
export async function prepareHouse(
  name: string,
  { url, token, policy }: HomeAssistantConfig,
  settings: ServerSettings,
): Promise<PreparedSource & { readonly known: KnownOffers }> {
  const { homeAssistant, offersOfHouse } = await import("./home-assistant/source.ts");
  const allowPrivate = settings.allowPrivate || policy.allowPrivate;
  const options = { url, token, allowPrivate, lastHeard: new Map() };
  return { ...prepared(homeAssistant, options), readySeconds: 10, known: offersOfHouse(name) };
}

/** So it is of an API; and loaded where there is one. */
export async function prepareApi(options: ApiOptions): Promise<PreparedSource & { readonly known: KnownOffers }> {
  const [{ makeApiKind }, { toolsOf }] = await Promise.all([import("./api/source.ts"), import("./api/tools.ts")]);
  return { ...prepared(makeApiKind(), options), known: { tools: toolsOf(options), offers: {} } };
}

/** One whose operations are learned with its first connection. */
export async function prepareLateApi(load: () => Promise<ApiOptions>, baseUrl: string): Promise<PreparedSource> {
  const { makeLateApiKind } = await import("./api/source.ts");
  return prepared(makeLateApiKind(baseUrl), load);
}

/** What a device is, for a node that another one tells of it. */
export async function deviceKind(): Promise<SourceKind<unknown>> {
  return (await import("./device/source.ts")).device as SourceKind<unknown>;
}

/** Loaded with the first that comes. */
export async function prepareDevice(
  channel: DeviceChannel,
  vision?: { readonly url: string; readonly token: string },
): Promise<PreparedSource> {
  const { device } = await import("./device/source.ts");
  return prepared(device, { channel, memory: new EraMemory(), vision });
}

export function prepared<Options>(kind: SourceKind<Options>, options: Options): PreparedSource {
  return { kind: kind as SourceKind<unknown>, options };
}

function readyMsOf({ command, policy }: ServerConfig): number {
  return (policy.readySeconds ?? startSeconds(command)) * 1_000;
}

function childOptions(server: ServerConfig, { lineBytes }: ServerSettings) {
  const { command = "", args, env, cwd } = server;
  // A program that is ended while it installs something cleans up first, if it is given time.
  const termMs = mayInstall(command) ? INSTALLER_TERM_MS : undefined;
  return { command, args, env, cwd, lineBytes, termMs };
}

function urlOptions(server: ServerConfig, settings: ServerSettings, first: RemoteOptions["first"]): RemoteOptions {
  const { url = "", headers, policy } = server;
  const allowPrivate = settings.allowPrivate || policy.allowPrivate;
  const memories = { era: new EraMemory(), way: new TransportMemory(), revision: server.protocol };
  return { url, headers, allowPrivate, maxBytes: settings.lineBytes, first, ...memories };
}
