/** Options that several commands share, so that they mean the same everywhere, and how a command reads its options. */
import { resolve } from "node:path";
import { ConfigError } from "../config/config-error.ts";
import { resolveServeOptions } from "../config/env.ts";
import type { ServeOptions } from "../config/types.ts";
import { LANGUAGES } from "../messages/catalogue.ts";
import type { Context, OptionSpec } from "./command.ts";
import { UsageError } from "./failures.ts";

const LANG: OptionSpec = {
  name: "lang",
  value: LANGUAGES.join("|"),
  choices: LANGUAGES,
  env: "ZAGUAN_LANG",
  summary: "cli.option.lang",
};
const HELP: OptionSpec = { name: "help", short: "h", summary: "cli.option.help" };

/** Of every command. */
export const COMMON: readonly OptionSpec[] = [LANG, HELP];

export const HOST: OptionSpec = { name: "host", value: "HOST", env: "ZAGUAN_HOST", summary: "cli.option.host" };
export const PORT: OptionSpec = { name: "port", value: "PORT", env: "ZAGUAN_PORT", summary: "cli.option.port" };
export const CONFIG: OptionSpec = {
  name: "config",
  value: "FILE",
  env: "ZAGUAN_CONFIG",
  path: "file",
  summary: "cli.option.config",
};
export const DATA: OptionSpec = {
  name: "data",
  value: "DIR",
  env: "ZAGUAN_DATA",
  path: "folder",
  summary: "cli.option.data",
};
export const DATABASE: OptionSpec = {
  name: "database",
  value: "URL",
  env: "ZAGUAN_DATABASE",
  summary: "cli.option.database",
};
export const NATS: OptionSpec = { name: "nats", value: "URL", env: "ZAGUAN_NATS", summary: "cli.option.nats" };
export const NODE: OptionSpec = { name: "node", value: "NAME", env: "ZAGUAN_NODE", summary: "cli.option.node" };
export const ALLOW_PRIVATE: OptionSpec = {
  name: "allow-private",
  env: "ZAGUAN_ALLOW_PRIVATE",
  summary: "cli.option.allowPrivate",
};
export const KEY: OptionSpec = { name: "key", value: "KEY", env: "ZAGUAN_KEY", summary: "cli.option.key" };
export const JSON_OUTPUT: OptionSpec = { name: "json", summary: "cli.option.json" };

/** Of the commands that talk to a running hub. */
export const HUB: readonly OptionSpec[] = [
  { name: "hub", value: "URL", env: "ZAGUAN_URL", summary: "cli.option.hub" },
  KEY,
  DATA,
];
/** What `--hub` was called before servers had a `--url` of their own. */
export const HUB_URL: OptionSpec = { name: "url", value: "URL", summary: "cli.option.url" };

const SERVING: readonly OptionSpec[] = [HOST, PORT, CONFIG, DATA, DATABASE, NATS, NODE, ALLOW_PRIVATE];

/**
 * Paths come out absolute, because other commands, started elsewhere, read of them in DATA/hub.json. A
 * wrong value is wrong usage, on the command line or in the environment; variables of other commands do not count.
 */
export function serveOptions(context: Context): ServeOptions {
  const known = SERVING.filter((option) => context.command.options.includes(option));
  const flags = known.map(({ name }) => [name, context.flags[name]]);
  const variables = known.map(({ env = "" }) => [env, context.world.env[env]]);
  try {
    const options = resolveServeOptions(Object.fromEntries(flags), Object.fromEntries(variables));
    const [configFile, dataDir] = [resolve(options.configFile), resolve(options.dataDir)];
    return { ...options, configFile, dataDir, language: context.language };
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    throw new UsageError("cli.usage.setting", { reason: cause.message }, context.command.name);
  }
}

/** The option's value, else that of its environment variable; an empty variable counts as not set. */
export function textOption(context: Context, name: string): string | undefined {
  const value = context.flags[name];
  return typeof value === "string" ? value : variable(context, name);
}

export function isGiven(context: Context, name: string): boolean {
  const value = context.flags[name] ?? variable(context, name);
  return value === true || (typeof value === "string" && /^(?:1|true|yes|on)$/i.test(value));
}

export function listOption(context: Context, name: string): readonly string[] {
  const value = context.flags[name];
  return Array.isArray(value) ? value : [];
}

function variable(context: Context, name: string): string | undefined {
  const env = context.command.options.find((option) => option.name === name)?.env;
  return env === undefined ? undefined : context.world.env[env] || undefined;
}

/** The choice as the table spells it, in whatever case it was written. */
export function choiceOption(context: Context, name: string): string | undefined {
  const written = textOption(context, name)?.toLowerCase();
  const choices = context.command.options.find((option) => option.name === name)?.choices;
  return choices?.find((choice) => choice.toLowerCase() === written);
}
