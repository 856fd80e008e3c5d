/** The kinds of servers that a configuration can name, one line each. */
import type { ServerConfig } from "../config/types.ts";
import { lineJson } from "./line-json.ts";
import type { SourceKind } from "./source.ts";
import { stdio } from "./stdio.ts";
import { streamableHttp } from "./streamable-http.ts";

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
  stdio: (server, settings) => prepared(stdio, childOptions(server, settings)),
  line: (server, settings) => prepared(lineJson, childOptions(server, settings)),
  http: (server, settings) => prepared(streamableHttp, urlOptions(server, settings)),
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

function urlOptions(server: ServerConfig, { lineBytes, allowPrivate }: ServerSettings) {
  const { url = "", headers, policy } = server;
  return { url, headers, allowPrivate: allowPrivate || policy.allowPrivate, maxBytes: lineBytes };
}
