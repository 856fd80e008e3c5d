/** The configuration of a running hub, after reading, merging and checking. Every default is written beside its field. */
import type { ApiAuth } from "../contract/api.ts";
import type { Of } from "../contract/fields.ts";
import type { Limits } from "../contract/limits.ts";
import type { Language } from "../messages/catalogue.ts";
import type { Sections } from "../sources/sections.ts";
import type { ParameterEntry, ToolEntry } from "./api-tool-schema.ts";
import type { HouseEntry } from "./home-assistant-schema.ts";
import type { Form, house } from "./schema.ts";
import type { policy, ServerEntry, Transport } from "./server-schema.ts";
import type { EndpointEntry } from "./xiaozhi-schema.ts";

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
  /** What a hub shares with others. @default { prefix: "zaguan" } */
  readonly cluster: ClusterConfig;
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
  /** The address of a PostgreSQL database. @default `cluster.database` of the file, else a file in `dataDir` */
  readonly database?: string | undefined;
  /** The addresses of NATS, by which a hub becomes a node of a cluster. @default `cluster.nats` of the file, else none */
  readonly nats?: string | undefined;
  /** The name of this node. @default `cluster.node` of the file, else made of the host name */
  readonly node?: string | undefined;
}

/** The revisions of MCP that an entry may name, newest first. */
export const PROTOCOLS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

export type ServerConfig = Pick<ServerEntry, "command" | "args" | "cwd" | "url" | "headers" | "protocol"> & {
  /** Its name for people, where that is not the one by which it is kept. */
  readonly title?: string | undefined;
  /** What it is for. */
  readonly description?: string | undefined;
  /**
   * "stdio" and "line" start `command`; the others reach `url`, beginning with the transport they name. Inferred when the
   * pasted entry does not say.
   */
  readonly type: Transport;
  readonly env: Readonly<Record<string, string>>;
  /** @default false */
  readonly disabled: boolean;
  /** Our own settings for this server, from its "zaguan" member. */
  readonly policy: ServerPolicy;
};

export type ServerPolicy = Of<typeof policy>;

/** `url` has no slash at its end. */
export type HomeAssistantConfig = Omit<HouseEntry, "zaguan"> & {
  /** As for a server, but `allowPrivate` is true unless given, and `readySeconds` 10. */
  readonly policy: ServerPolicy;
};

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

/** No parameter's name twice; every place in the path and the template is a parameter's. */
export type WrittenToolConfig = Omit<ToolEntry, "parameters"> & {
  readonly parameters: readonly WrittenParameterConfig[];
};

/** With what follows from the rest of its tool: its type, its place, whether it is needed. */
export type WrittenParameterConfig = ParameterEntry & Required<Pick<ParameterEntry, "type" | "in">>;

export interface XiaozhiConfig {
  /** No two with one name, nor with one token or device. @default [] */
  readonly endpoints: readonly XiaozhiEndpointConfig[];
  /** Who looks at the pictures of this machine's camera and screen; `token` "" for none. */
  readonly vision?: { readonly url: string; readonly token: string } | undefined;
}

/** Without a name of its own it has the URL's host, with a number where that is taken. */
export type XiaozhiEndpointConfig = EndpointEntry & { readonly name: string };

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

export type HouseConfig = Of<typeof house>;

export type AuthConfig = Form["auth"];

/** Paths are absolute. */
export type ClusterConfig = Form["cluster"];

export type LogConfig = Form["log"];
