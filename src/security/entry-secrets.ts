/**
 * The secrets in what is said of a server: in its headers, its environment, its arguments and its address. They are found once, here;
 * what comes in their place, or what is done with them, is the business of whoever asks.
 */
import { isObject } from "../contract/rules.ts";
import { REDACTED } from "./redaction.ts";
import { isOrdinary, isPath, isSecretHeader, isSecretSetting, looksKnown } from "./secret-rules.ts";

/** As it is configured or written in a file. */
export interface Entry {
  readonly url?: unknown;
  readonly headers?: unknown;
  readonly env?: unknown;
  readonly args?: unknown;
}

interface Finding {
  /** Gives what comes in the place of a secret; `place` is what it stands under. */
  replace(place: string, secret: string): string;
  /** For what is given away: whatever may be a secret counts as one. */
  readonly inDoubt?: boolean | undefined;
}

/** What stands before a secret without being one. */
const SCHEME = /^(Bearer|Basic|Token) +/i;
/** A variable, or the place of an argument. */
const REFERENCE = /(?<!\$)\$\{[^}]*\}|\{\{?[\w.-]+\}?\}/g;
/** A whole URL, or the end of one from its path on. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|\/[^\s?]*\?)/i;
/** Shorter ones are told apart from ordinary words by nothing. */
const SHORTEST = 6;
const LONG = 12;

export function withSecretsReplaced<E extends Entry>(entry: E, finding: Finding): E {
  const { headers, env, args, url } = entry;
  return {
    ...entry,
    ...(typeof url === "string" && { url: inAddress(url, finding) }),
    ...(isObject(headers) && { headers: mapped(headers, (name, value) => inHeader(name, value, finding)) }),
    ...(isObject(env) && { env: mapped(env, (name, value) => inSetting(name, value, finding)) }),
    ...(Array.isArray(args) && { args: args.map((_, at) => inArgument(args, at, finding)) }),
  };
}

/** All that a server must not tell again, each by itself and with what it is a part of. */
export function secretsIn(entry: Entry): string[] {
  const found: string[] = [];
  const replace = (_place: string, secret: string): string => {
    found.push(secret);
    return secret;
  };
  withSecretsReplaced(entry, { replace });
  return [...new Set(found.flatMap(partsOf).filter(isTelling))];
}

/** An address as people may see it. */
export function maskedAddress(url: string): string {
  return inAddress(url, { replace: () => REDACTED, inDoubt: true });
}

/** Whoever sends back what was shown means what is there. */
export function unmasked(said: string, known: string | undefined): string {
  return known !== undefined && said === maskedAddress(known) ? known : said;
}

export function maskedArguments(args: readonly string[]): string[] {
  return args.map((_, at) => String(inArgument(args, at, { replace: () => REDACTED })));
}

/** A scheme stays in sight; what is a reference already stays as it is. */
function hidden(place: string, value: string, { replace }: Finding): string {
  const scheme = SCHEME.exec(value)?.[0] ?? "";
  const rest = value.slice(scheme.length);
  return rest.replace(REFERENCE, "").trim() === "" ? value : scheme + replace(place, rest);
}

function inHeader(name: string, value: unknown, finding: Finding): unknown {
  const isSecret = typeof value === "string" && isSecretHeader(name, value, finding.inDoubt);
  return isSecret ? hidden(name, value, finding) : value;
}

function inSetting(name: string, value: unknown, finding: Finding): unknown {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return value;
  if (ADDRESS.test(text)) return inAddress(text, { ...finding, replace: (_, secret) => finding.replace(name, secret) });
  const isKnown = isSecretSetting(name, text, finding.inDoubt) || isStructured(name, text);
  const isSecret = isKnown || (finding.inDoubt && !isPath(text) && !isOrdinary(text));
  return isSecret ? hidden(name, text, finding) : value;
}

/** Some programs are given headers and settings as JSON, or as they are sent. */
function isStructured(name: string, text: string): boolean {
  return settingsIn(text).some(([inner, value]) => isSecretSetting(inner || name, value));
}

/** `--token X`, `--token=X`, `TOKEN=X`, `--header "Authorization: X"`, and URLs. */
function inArgument(args: readonly unknown[], at: number, finding: Finding): unknown {
  const [before, argument] = [String(args[at - 1] ?? ""), args[at]];
  if (typeof argument !== "string") return argument;
  const [, header, value = ""] = /^(-H|--header)$/.test(before) ? (/^([\w-]+): *(.*)$/s.exec(argument) ?? []) : [];
  if (header !== undefined) return `${header}: ${String(inHeader(header, value, finding))}`;
  const [, name = "", set] = /^(-{0,2}[\w-]+)=(.*)$/s.exec(argument) ?? [];
  if (set !== undefined && isSecretOption(name, set)) return `${name}=${hidden(placeOf(name), set, finding)}`;
  const isNamed = /^--?\w/.test(before) && !before.includes("=") && !argument.startsWith("-");
  if (isNamed && isSecretOption(before, argument)) return hidden(placeOf(before), argument, finding);
  return looksKnown(argument) ? hidden(`ARG_${at}`, argument, finding) : inAddress(argument, finding);
}

function isSecretOption(name: string, value: string): boolean {
  return !ADDRESS.test(value) && !isPath(value) && isSecretSetting(placeOf(name), "", true);
}

/** Of a URL, the name and password, and parameters that are called like a secret or look like one. */
function inAddress(text: string, finding: Finding): string {
  if (!ADDRESS.test(text)) return text;
  const user = text.replace(/^([^:]+:\/\/)([^/?#@]+)@/, (_, scheme: string, login: string) => {
    return `${scheme}${hidden("LOGIN", login, finding)}@`;
  });
  return user.replace(/([?&])([^=&#]+)=([^&#]*)/g, (whole, mark: string, name: string, value: string) => {
    const isSecret = value !== "" && isSecretSetting(name, decoded(value), finding.inDoubt);
    return isSecret ? `${mark}${name}=${hidden(name, value, finding)}` : whole;
  });
}

/** A secret, and what of it may be told alone: without its encoding, the password of a login, one of several, a line of many. */
function partsOf(secret: string): string[] {
  const plain = decoded(secret);
  const login = /^[^:\s]{0,100}:(.+)$/s.exec(plain)?.[1] ?? "";
  const basic = /^[ -~]*?:([ -~]+)$/.exec(Buffer.from(plain, "base64").toString("latin1"))?.[1] ?? "";
  const inside = settingsIn(plain).flatMap(([name, value]) => (isSecretSetting(name, value) ? valuesOf(value) : []));
  const several = plain
    .split(/[\s;,]+/)
    .flatMap(valuesOf)
    .filter((part) => !isOrdinary(part));
  return [secret, plain, login, basic, ...inside, ...several];
}

/** `Bearer abc` and `sid=abc` hold `abc`. */
function valuesOf(text: string): string[] {
  return [text, text.replace(SCHEME, ""), /^[\w-]+=(.+)$/s.exec(text)?.[1] ?? ""];
}

/** The settings in JSON, or the one of a header. */
function settingsIn(text: string): (readonly [name: string, value: string])[] {
  const [, name, value] = /^([\w-]+): +(\S.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [[name, value]];
  if (!/^\s*[[{]/.test(text)) return [];
  const found: [string, string][] = [];
  try {
    JSON.parse(text, (key, each: unknown) => {
      if (typeof each === "string") found.push([key, each]);
      return each;
    });
  } catch {
    // Then it is no JSON.
  }
  return found;
}

function isTelling(secret: string): boolean {
  return secret.length >= LONG || (secret.length >= SHORTEST && !isOrdinary(secret));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function placeOf(option: string): string {
  return option.replace(/^-+/, "");
}

function mapped(
  record: Readonly<Record<string, unknown>>,
  change: (name: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(name, value)]));
}
