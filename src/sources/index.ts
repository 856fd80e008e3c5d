/** The kinds of servers that a configuration can name, one line each. */
import type { ServerConfig } from "../config/types.ts";
import { lineJson } from "./line-json.ts";
import { EraMemory } from "./mcp-client/era-memory.ts";
import type { RemoteOptions } from "./remote/options.ts";
import { remote } from "./remote/remote.ts";
import { WayMemory } from "./remote/way-memory.ts";
import type { SourceKind } from "./source.ts";
import { stdio } from "./stdio.ts";

export interface ServerSettings {
  readonly lineBytes: number;
  readonly allowPrivate: boolean;
}

/** A kind with the options it needs, ready to be supervised. */
export interface PreparedSource {
  readonly kind: SourceKind<unknown>;
  readonly options: unknown;
}

const KINDS: Readonly<
  Record<ServerConfig["type"], (server: ServerConfig, settings: ServerSettings) => PreparedSource>
> = {
  stdio: (server, settings) => prepared(stdio, { ...childOptions(server, settings), memory: new EraMemory() }),
  line: (server, settings) => prepared(lineJson, childOptions(server, settings)),
  http: (server, settings) => prepared(remote, urlOptions(server, settings, "http")),
  sse: (server, settings) => prepared(remote, urlOptions(server, settings, "sse")),
  websocket: (server, settings) => prepared(remote, urlOptions(server, settings, "websocket")),
};

export function prepareServer(server: ServerConfig, settings: ServerSettings): PreparedSource {
  return KINDS[server.type](server, settings);
}

function prepared<Options>(kind: SourceKind<Options>, options: Options): PreparedSource {
  return { kind: kind as SourceKind<unknown>, options };
}

function childOptions(server: ServerConfig, { lineBytes }: ServerSettings) {
  const { command = "", args, env, cwd, policy } = server;
  return { command, args, env, cwd, lineBytes, readyMs: policy.readySeconds * 1_000 };
}

function urlOptions(server: ServerConfig, settings: ServerSettings, first: RemoteOptions["first"]): RemoteOptions {
  const { url = "", headers, policy } = server;
  const allowPrivate = settings.allowPrivate || policy.allowPrivate;
  const memories = { era: new EraMemory(), way: new WayMemory() };
  return { url, headers, allowPrivate, maxBytes: settings.lineBytes, first, ...memories };
}
