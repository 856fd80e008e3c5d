/** What the command line and the environment decide about serving: flags first, then ZAGUAN_* variables, then defaults. */
import { isIPv6 } from "node:net";
import { isLanguage, LANGUAGES, type Language } from "../messages/catalogue.ts";
import { ConfigError } from "./config-error.ts";
import type { Environment } from "./load.ts";
import type { ServeOptions } from "./types.ts";

type ServeFlag = "host" | "port" | "config" | "data" | "lang" | "allow-private" | "database" | "nats" | "node";
type ServeFlags = Partial<Record<ServeFlag, string | boolean | undefined>>;

/** A value that somebody gave, and the name under which they gave it. */
interface Given {
  readonly label: string;
  readonly text: string;
}

/** `LANG` does not count: a hub speaks English until it is told otherwise. */
export function resolveServeOptions(flags: ServeFlags, env: Environment): ServeOptions {
  const read = <Value>(flag: ServeFlag, convert: (given: Given) => Value, otherwise: Value): Value => {
    const given = fromFlag(flag, flags[flag]) ?? fromEnvironment(flag, env);
    return given === undefined ? otherwise : convert(given);
  };
  // Checked where they are used: what is wrong with an address must be told without the password in it.
  const written = (flag: ServeFlag) => read(flag, ({ text }): string | undefined => text, undefined);
  const [database, nats, node] = [written("database"), written("nats"), written("node")];
  return {
    host: read("host", toHost, "127.0.0.1"),
    port: read("port", toPort, 3003),
    configFile: read("config", toPath, "zaguan.json"),
    dataDir: read("data", toPath, "data"),
    language: read("lang", toLanguage, "en"),
    allowPrivate: read("allow-private", toBoolean, false),
    ...(database !== undefined && { database }),
    ...(nats !== undefined && { nats }),
    ...(node !== undefined && { node }),
  };
}

function fromFlag(flag: ServeFlag, value: string | boolean | undefined): Given | undefined {
  const label = `--${flag}`;
  if (typeof value === "string") return { label, text: value };
  if (flag === "allow-private") return value === undefined ? undefined : { label, text: String(value) };
  if (value === true) throw new ConfigError(`${label}: a value is missing`);
  return undefined;
}

/** An empty variable counts as not set, as container files leave them. */
function fromEnvironment(flag: ServeFlag, env: Environment): Given | undefined {
  const label = `ZAGUAN_${flag.toUpperCase().replace("-", "_")}`;
  const text = env[label];
  return text === undefined || text === "" ? undefined : { label, text };
}

function toHost(given: Given): string {
  const host = given.text.replace(/^\[(.*)\]$/, "$1");
  if (isIPv6(host) || /^[A-Za-z0-9_.-]{1,253}$/.test(host)) return host;
  throw notAllowed(given, "an address or a host's name, without http:// and without a port");
}

function toPort(given: Given): number {
  const port = /^\d{1,5}$/.test(given.text) ? Number(given.text) : Number.NaN;
  if (port <= 65_535) return port;
  throw notAllowed(given, "a whole number from 0 to 65535 (0 takes any free port)");
}

function toPath(given: Given): string {
  if (given.text.trim() !== "" && !given.text.includes("\0")) return given.text;
  throw notAllowed(given, "a path");
}

function toLanguage(given: Given): Language {
  if (isLanguage(given.text)) return given.text;
  throw notAllowed(given, `one of ${LANGUAGES.join(", ")}`);
}

function toBoolean(given: Given): boolean {
  const word = given.text.toLowerCase();
  if (["true", "1", "yes", "on"].includes(word)) return true;
  if (["false", "0", "no", "off"].includes(word)) return false;
  throw notAllowed(given, "true or false");
}

function notAllowed(given: Given, allowed: string): ConfigError {
  return new ConfigError(`${given.label}: ${JSON.stringify(given.text.slice(0, 64))} is not ${allowed}`);
}
