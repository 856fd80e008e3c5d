/** The configuration of a running hub, after reading, merging and checking. Every default is written beside its field. */
import type { Language } from "../messages/catalogue.ts";

export interface ZaguanConfig {
  /** Servers by name, in the form other clients use. */
  readonly mcpServers: Readonly<Record<string, ServerConfig>>;
  /** Houses that run Home Assistant, by name; one without a name is called "home-assistant". @default {} */
  readonly homeAssistant: Readonly<Record<string, HomeAssistantConfig>>;
  readonly devices: DevicesConfig;
  readonly limits: LimitsConfig;
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

export interface ServerConfig {
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
  /** Seconds to readiness; a first start through npx downloads the server. @default 30 */
  readonly readySeconds: number;
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

export interface DevicesConfig {
  /** The simulated house; false to leave it out. @default the five lights of seed 000 */
  readonly house: HouseConfig | false;
}

export interface HouseConfig {
  /** @default ["salon", "cocina", "dormitorio", "bano", "garage"] */
  readonly lights: readonly string[];
  /** @default false */
  readonly alarmDefault: boolean;
  /** @default { present: false, knownPeople: [] } */
  readonly presenceDefault: { readonly present: boolean; readonly knownPeople: readonly string[] };
}

export interface LimitsConfig {
  /** A request's body, in bytes: more is refused with 413. @default 1048576 */
  readonly bodyBytes: number;
  /** A line on stdio, ours or a child's, in bytes. @default 10485760 */
  readonly lineBytes: number;
  /** Nesting of any JSON that comes in. @default 64 */
  readonly jsonDepth: number;
  /** Members and elements of one JSON message. @default 10000 */
  readonly jsonElements: number;
  /** Open connections. @default 10000 */
  readonly connections: number;
  /** Open sessions, and event streams. @default 10000 */
  readonly sessions: number;
  /** A session that nobody uses ends after this. @default 3600 */
  readonly sessionIdleSeconds: number;
  /** A call's time, waiting included, unless the caller says otherwise. @default 30 */
  readonly callSeconds: number;
  /** The most a caller may ask for. @default 300 */
  readonly callSecondsMax: number;
  /** Waiting calls per source; one more is refused. @default 1000 */
  readonly queueLength: number;
  /** Waiting calls per source, class and caller before more are taken for a flood, which is held short. @default 100 */
  readonly queueBurst: number;
  /** Calls per minute and principal; 0 for no limit. @default 0 */
  readonly callsPerMinute: number;
  /** Bytes of kept answers. @default 33554432 */
  readonly cacheBytes: number;
  /** How long a first list waits for sources that are still starting. @default 5 */
  readonly listWaitSeconds: number;
  /** For finding a registered server's tools, all attempts included. @default 30 */
  readonly discoverySeconds: number;
  /** How long running calls may go on after a stop was asked for. @default 10 */
  readonly graceSeconds: number;
}

export interface AuthConfig {
  /** Ask for a key on loopback too. @default false */
  readonly requireKey: boolean;
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
