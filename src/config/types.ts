/** The configuration of a running hub, after reading, merging and checking. Every default is written beside its field. */

import type { ApiAuth } from "../contract/api.ts";
import type { Limits } from "../contract/limits.ts";
import type { Language } from "../messages/catalogue.ts";
import type { Sections } from "../sources/sections.ts";

export interface ZaguanConfig {
  /** Servers by slug, which is their name unless they have a title. */
  readonly mcpServers: Readonly<Record<string, ServerConfig>>;
  /** Houses that run Home Assistant, by name; one without a name is called "home-assistant". @default {} */
  readonly homeAssistant: Readonly<Record<string, HomeAssistantConfig>>;
  /** REST APIs whose operations are tools, by name. @default {} */
  readonly apiTools: Readonly<Record<string, ApiToolsConfig>>;
  /** Sections that belong to kinds of sources, by their keys in the file: entries by the names of their sources. @default {} */
  readonly sections: Sections;
  /** Voice clouds and servers that we dial, and that call us there. @default { endpoints: [] } */
  readonly xiaozhi: XiaozhiConfig;
  readonly devices: DevicesConfig;
  readonly limits: Limits;
  readonly auth: AuthConfig;
  readonly log: LogConfig;
}

/** What the command line and the environment decide; the file never changes these while running. */
export interface ServeOptions {
  /** @default "127.0.0.1" */
  readonly host: string;
  /** @default 3003 */
  readonly port: number;
  /** @default "zaguan.json" in the working directory */
  readonly configFile: string;
  /** @default "data" in the working directory */
  readonly dataDir: string;
  /** @default "en" */
  readonly language: Language;
  /** Lets every configured URL reach private and loopback addresses. @default false */
  readonly allowPrivate: boolean;
}

/** The revisions of MCP that an entry may name, newest first. */
export const PROTOCOLS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export interface ServerConfig {
  /** Its name for people, where that is not the one by which it is kept. */
  readonly title?: string | undefined;
  /** What it is for. */
  readonly description?: string | undefined;
  /**
   * "stdio" and "line" start `command`; the others reach `url`, beginning with the transport they name. Inferred when the
   * pasted entry does not say.
   */
  readonly type: "stdio" | "http" | "sse" | "websocket" | "line";
  readonly command?: string | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The revision of MCP that the server speaks. @default found by asking it */
  readonly protocol?: Protocol | undefined;
  /** @default false */
  readonly disabled: boolean;
  /** Our own settings for this server, from its "zaguan" member. */
  readonly policy: ServerPolicy;
}

export interface ServerPolicy {
  /** Believe this server's readOnlyHint and idempotentHint. @default false */
  readonly trusted: boolean;
  /** URL may lead to a private or loopback address. @default false */
  readonly allowPrivate: boolean;
  /** Calls at once. @default what the kind of source says */
  readonly concurrency?: number | undefined;
  /** Tools that may be repeated after a lost answer, by name. @default [] */
  readonly repeatable: readonly string[];
  /** Read-only tools whose answers may be kept, by name: for how many seconds. @default {} */
  readonly cacheSeconds: Readonly<Record<string, number>>;
  /** Seconds to readiness. @default what the kind of source, or its program, says */
  readonly readySeconds?: number | undefined;
}

export interface HomeAssistantConfig {
  /** Without a slash at its end. */
  readonly url: string;
  /** A long-lived access token. */
  readonly token: string;
  /** @default false */
  readonly disabled: boolean;
  /** As for a server, but `allowPrivate` is true unless given, and `readySeconds` 10. */
  readonly policy: ServerPolicy;
}

/** A REST API: read from its OpenAPI document, or with tools that somebody wrote down; `"tools" in api` tells them apart. */
export type ApiToolsConfig = DocumentedApiConfig | WrittenApiConfig;

export interface DocumentedApiConfig extends ApiSettings {
  /** `file` is absolute. */
  readonly document: { readonly file: string } | { readonly url: string };
  /** Without a slash at its end. @default the first server of the document */
  readonly baseUrl?: string | undefined;
  /** Only operations with one of these. @default [], which is all */
  readonly tags: readonly string[];
  /** Only these: "/pets", "/pets/*", "GET /pets". @default [], which is all */
  readonly paths: readonly string[];
}

export interface WrittenApiConfig extends ApiSettings {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** At least one; no name twice. */
  readonly tools: readonly WrittenToolConfig[];
}

interface ApiSettings {
  /** Credentials by the name of the document's security scheme; "" is the usual one. @default {} */
  readonly auths: Readonly<Record<string, ApiAuth>>;
  /** Sent with every request. @default {} */
  readonly headers: Readonly<Record<string, string>>;
  /** @default no limit */
  readonly callsPerMinute?: number | undefined;
  /** @default false */
  readonly disabled: boolean;
  /** As for a server, but `trusted`, since the hints are our own. */
  readonly policy: ServerPolicy;
}

export interface WrittenToolConfig {
  readonly name: string;
  readonly description: string;
  /** @default "GET" */
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** "/v1/{city}", perhaps with a query of its own; every place is a parameter's. */
  readonly path: string;
  /** No name twice. @default [] */
  readonly parameters: readonly WrittenParameterConfig[];
  /** JSON with `{{parameter}}` in it; every place is a parameter's. */
  readonly bodyTemplate?: string | undefined;
}

export interface WrittenParameterConfig {
  /** On the wire. */
  readonly name: string;
  /** @default "string" */
  readonly type: "string" | "number" | "integer" | "boolean" | "object" | "array";
  readonly description?: string | undefined;
  /** @default false; in the path true unless it has a default */
  readonly required: boolean;
  /** Of its type. */
  readonly default?: unknown;
  /** @default "path" if the path names it, else "query" for GET, HEAD and DELETE and "body" for the others */
  readonly in: "path" | "query" | "header" | "body";
}

export interface XiaozhiConfig {
  /** No two with one name, nor with one token or device. @default [] */
  readonly endpoints: readonly XiaozhiEndpointConfig[];
  /** Who looks at the pictures of this machine's camera and screen; `token` "" for none. */
  readonly vision?: { readonly url: string; readonly token: string } | undefined;
}

export interface XiaozhiEndpointConfig {
  /** @default the URL's host, with a number where that is taken */
  readonly name: string;
  /** `ws:` or `wss:`; its query holds a token and is shown to nobody. */
  readonly url: string;
  /** Plain JSON-RPC, or as a device: hello, then envelopes. @default "endpoint" */
  readonly as: "endpoint" | "device";
  /** The tools of this agent alone, by its name. @default all tools */
  readonly agent?: string | undefined;
  /** Those who listen there speak Chinese, unless their owner says otherwise. @default "zh" */
  readonly language: Language;
  /** Of a device. @default one that is made once and kept */
  readonly deviceId?: string | undefined;
  /** Of a device. @default one that is made once and kept */
  readonly clientId?: string | undefined;
  /** A bearer token, beside what is in the URL. */
  readonly token?: string | undefined;
  /** @default false */
  readonly disabled: boolean;
  /** The file is its owner's word, and servers of one's own stand in one's own network. @default true */
  readonly allowPrivate: boolean;
}

export interface DevicesConfig {
  /** The simulated house; false to leave it out. @default the five lights of seed 000 */
  readonly house: HouseConfig | false;
  /** A folder of modules that add tools, absolute. @default none */
  readonly tools?: string | undefined;
  /** What this machine can do, as far as it is enabled. @default {} */
  readonly abilities: AbilitiesConfig;
}

export const ABILITY_NAMES = [
  "system",
  "screenshot",
  "camera",
  "music",
  "calendar",
  "timers",
  "environment",
  "infrared",
] as const;

/** Settings by name, each as its ability has them; paths are absolute. */
export type AbilitiesConfig = Readonly<Partial<Record<(typeof ABILITY_NAMES)[number], object>>>;

export interface HouseConfig {
  /** @default ["salon", "cocina", "dormitorio", "bano", "garage"] */
  readonly lights: readonly string[];
  /** @default false */
  readonly alarmDefault: boolean;
  /** @default { present: false, knownPeople: [] } */
  readonly presenceDefault: { readonly present: boolean; readonly knownPeople: readonly string[] };
}

export interface AuthConfig {
  /** Ask for a key on loopback too. @default false */
  readonly requireKey: boolean;
  /** Addresses and networks of proxies in front of us: who comes from there is never the local user. @default [] */
  readonly trustedProxies: readonly string[];
  /** Further values of `Host` that are ours, as host or host:port. @default [] */
  readonly allowedHosts: readonly string[];
  /** Further browser origins that may talk to us. @default [] */
  readonly allowedOrigins: readonly string[];
  /** Commands that an administrator may register over HTTP. @default [] */
  readonly allowedCommands: readonly string[];
}

export interface LogConfig {
  /** @default "info" */
  readonly level: "trace" | "debug" | "info" | "warn" | "error" | "silent";
}
