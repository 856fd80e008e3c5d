/**
 * The secrets in what is said of a server: in its headers, its environment, its arguments and its address. They are found once, here;
 * what comes in their place, or what is done with them, is the business of whoever asks.
 */
import { isObject } from "../contract/rules.ts";
import { REDACTED } from "./redaction.ts";
import { isHarmlessSetting, isOrdinary, isPath, isSecretHeader, isSecretSetting, looksKnown } from "./secret-rules.ts";

/** As it is configured or written in a file. */
export interface Entry {
  readonly url?: unknown;
  readonly headers?: unknown;
  readonly env?: unknown;
  readonly args?: unknown;
}

interface Finding {
  /** Gives what comes in the place of a secret; `place` is what it stands under; `inside` what of it is secret, if not all. */
  replace(place: string, secret: string, inside?: readonly string[]): string;
  /** For what is given away: whatever may be a secret counts as one. */
  readonly inDoubt?: boolean | undefined;
}

/** What stands before a secret without being one. */
const SCHEME = /^(Bearer|Basic|Token) +/i;
/** A variable, or the place of an argument. */
const REFERENCE = /(?<!\$)\$\{[^{}]*\}|\{\{?[\w.-]+\}?\}/g;
/** A whole URL, or the end of one from its path on. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|\/[^\s?]*\?)/i;
/** The name and password of a URL, wherever it stands in a text. */
const LOGIN = /(:\/\/)([^\s/?#]+)@/g;
/** The parameters of a query, and what some put behind `;` in their addresses. */
const PARAMETER = /([?&;])([^=&#?;\s]+)=((?:[^&#;]|;(?![^=&#?;\s]+=))*)/g;
/** `user=me password="a b"; port: 1`: a value goes on over spaces and commas as long as no other name comes. */
const PAIR =
  /(?<![\w-])([\w-]+)(?:[ \t]{0,4}=|:(?=[ \t]))[ \t]{0,4}("[^"]*"|'[^']*'|(?:[^\s;&,]|[ \t,](?![ \t]{0,4}[\w-]+[ \t]{0,4}=))*)/g;
/** `--token abc` in a text. */
const OPTION = /(?<!\S)--?([A-Za-z][\w-]*)[ \t]{1,4}([^\s-]\S*)/g;
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
  const replace = (_place: string, secret: string, inside?: readonly string[]): string => {
    found.push(...(inside ? [secret, ...inside] : partsOf(secret)));
    return secret;
  };
  withSecretsReplaced(entry, { replace });
  return [...new Set(found.filter(isTelling))];
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
  return isReference(rest) ? value : scheme + replace(place, rest);
}

/** A text that is no secret, but may have some in it. */
function hiddenInside(place: string, name: string, text: string, finding: Finding): string {
  const inside = secretsInside(name, text);
  return inside.length > 0 ? finding.replace(place, text, inside) : text;
}

function isReference(value: string): boolean {
  return value.replace(REFERENCE, "").trim() === "";
}

function inHeader(name: string, value: unknown, finding: Finding): unknown {
  const isSecret = typeof value === "string" && isSecretHeader(name, value, finding.inDoubt);
  return isSecret ? hidden(name, value, finding) : value;
}

function inSetting(name: string, value: unknown, finding: Finding): unknown {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return value;
  const isSecret = isSecretSetting(name, text, finding.inDoubt);
  if (finding.inDoubt) return !isSecret && isHarmlessSetting(name, text) ? value : hidden(name, text, finding);
  if (ADDRESS.test(text)) return inAddress(text, { ...finding, replace: (_, secret) => finding.replace(name, secret) });
  if (isSecret) return hidden(name, text, finding);
  const clean = hiddenInside(name, name, text, finding);
  return clean === text ? value : clean;
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
  if (looksKnown(argument)) return hidden(`ARG_${at}`, argument, finding);
  if (ADDRESS.test(argument)) return inAddress(argument, finding);
  if (set === undefined) return hiddenInside(`ARG_${at}`, "", argument, finding);
  return `${name}=${hiddenInside(placeOf(name), placeOf(name), set, finding)}`;
}

function isSecretOption(name: string, value: string): boolean {
  return !ADDRESS.test(value) && !isPath(value) && isSecretSetting(placeOf(name), "", true);
}

/** Of a URL, the name and password, and parameters that are called like a secret or look like one. */
function inAddress(text: string, finding: Finding): string {
  if (!ADDRESS.test(text)) return text;
  const user = text.replace(LOGIN, (_, mark: string, login: string) => `${mark}${hidden("LOGIN", login, finding)}@`);
  return user.replace(PARAMETER, (whole, mark: string, name: string, value: string) => {
    const isSecret = value !== "" && isSecretSetting(name, decoded(value), finding.inDoubt);
    return isSecret ? `${mark}${name}=${hidden(name, value, finding)}` : whole;
  });
}

/** A secret, and what of it may be told alone: without its encoding, the password of a login, one of several, a line of many. */
function partsOf(secret: string): string[] {
  return [...piecesOf(secret), ...secretsInside("", decoded(secret))];
}

function piecesOf(secret: string): string[] {
  const plain = decoded(secret);
  const login = /^[^:\s]{0,100}:(.+)$/s.exec(plain)?.[1] ?? "";
  const basic = /^[ -9;-~]*:([ -~]+)$/.exec(Buffer.from(plain, "base64").toString("latin1"))?.[1] ?? "";
  const several = plain
    .split(/[\s;,]+/)
    .flatMap(valuesOf)
    .filter((part) => !isOrdinary(part));
  return [secret, plain, login, basic, ...several];
}

/** What is given with a name of its own in a text; `name` is that of the whole. */
function secretsInside(name: string, text: string): string[] {
  const secrets = settingsIn(text).filter(([inner, value]) => {
    return !isReference(value) && isSecretSetting(inner || name, decoded(value));
  });
  return secrets.flatMap(([, value]) => valuesOf(value).flatMap(piecesOf));
}

/** `Bearer abc` and `sid=abc` hold `abc`. */
function valuesOf(text: string): string[] {
  return [text, text.replace(SCHEME, ""), /^[\w-]+=(.+)$/s.exec(text)?.[1] ?? ""];
}

/** The settings in a text: one of a header, those in JSON, pairs, options, and the passwords of URLs. */
function settingsIn(text: string): Setting[] {
  const header = /^([\w-]+): +(\S.*)$/s.exec(text);
  const pairs = [...text.matchAll(PAIR), ...text.matchAll(OPTION), ...(header ? [header] : [])];
  return [
    ...pairs.map(([, name = "", value = ""]): Setting => [name, value.replace(/^(["'])(.*)\1$/s, "$2")]),
    ...Array.from(text.matchAll(LOGIN), ([, , login = ""]): Setting => ["password", login]),
    ...membersIn(text),
  ];
}

type Setting = readonly [name: string, value: string];

/** Each text and number in JSON under its name; those of a list under the name of the list, too. */
function membersIn(text: string): Setting[] {
  if (!/^\s*[[{]/.test(text)) return [];
  const found: Setting[] = [];
  try {
    JSON.parse(text, (key, each: unknown) => {
      for (const one of [each].flat())
        if (typeof one === "string" || typeof one === "number") found.push([key, `${one}`]);
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
