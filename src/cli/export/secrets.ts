/**
 * Takes the secrets out of a server's entry before it is given away: a `${VARIABLE}`, named after the server and the place
 * where it stood, comes in the place of each. In doubt something is a secret: a variable too many does no harm.
 */
import type { WrittenEntry } from "../../config/edit.ts";

const SECRET_NAME = /auth|key|token|secret|pass|pwd|credential|cookie|session|bearer|signature/i;
const HARMLESS_HEADERS = new Set(["accept", "accept-language", "accept-encoding", "content-type", "user-agent"]);
/** How the keys of well-known services, and ours, begin. */
const SECRET_START =
  /^(?:sk-|pk-|rk_|sk_|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AIza|AKIA|eyJ|zgn_|npm_|hf_)[\w.-]{8,}$/;
/** Long, and letters and digits mixed as no word has them. */
const RANDOM = /^(?=.*\d)(?=.*[A-Za-z])[\w+=.-]{20,}$/;
/** What stands before a secret without being one. */
const SCHEME = /^(Bearer|Basic|Token) +/i;
const REFERENCE = /(?<!\$)\$\{[^}]*\}/g;

/** The variables given out so far, so that no two secrets share one. */
export class Variables {
  readonly #places = new Map<string, string>();

  /** For what stands in a place of a server: the same for the same secret, another for another. */
  name(server: string, place: string, secret = ""): string {
    const wanted = `${server}_${place}`
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, "_")
      .replace(/^(?=\d)/, "_");
    const key = JSON.stringify([server, place, secret]);
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted}_${number}`;
      const taken = this.#places.get(name);
      if (taken !== undefined && taken !== key) continue;
      this.#places.set(name, key);
      return name;
    }
  }
}

/** `\${NAME}`, made of parts so that no reader takes it for a template. */
export function referenceTo(name: string): string {
  return `\${${name}}`;
}

export function withoutSecrets(server: string, entry: WrittenEntry, variables: Variables): WrittenEntry {
  const hide: Hide = (place, value) => hidden(value, (secret) => variables.name(server, place, secret));
  const { headers, env, args, url } = entry;
  return {
    ...entry,
    ...(typeof url === "string" && { url: safeUrl(url, hide) }),
    ...(isRecord(headers) && { headers: mapped(headers, (name, value) => safeHeader(name, value, hide)) }),
    ...(isRecord(env) && { env: mapped(env, (name, value) => safeSetting(name, value, hide)) }),
    ...(Array.isArray(args) && { args: args.map((_, at) => safeArgument(args as string[], at, hide)) }),
  };
}

type Hide = (place: string, value: string) => string;

/** A scheme stays in sight; what is a reference already stays as it is. */
function hidden(value: string, name: (secret: string) => string): string {
  const scheme = SCHEME.exec(value)?.[0] ?? "";
  const rest = value.slice(scheme.length);
  if (rest.replace(REFERENCE, "").trim() === "") return value;
  return scheme + referenceTo(name(rest));
}

function safeHeader(name: string, value: unknown, hide: Hide): unknown {
  if (typeof value !== "string" || HARMLESS_HEADERS.has(name.toLowerCase())) return value;
  return hide(name, value);
}

function safeSetting(name: string, value: unknown, hide: Hide): unknown {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return value;
  if (SECRET_NAME.test(name) || looksSecret(text)) return hide(name, text);
  const safe = safeUrl(text, (_, secret) => hide(name, secret));
  return safe === text ? value : safe;
}

/** `--token X`, `--token=X`, `TOKEN=X`, `--header "Authorization: X"`, and URLs. */
function safeArgument(args: readonly string[], at: number, hide: Hide): string {
  const [before = "", argument = ""] = [args[at - 1], args[at]];
  if (typeof argument !== "string") return argument;
  const [, header, value = ""] = /^(-H|--header)$/.test(before) ? (/^([\w-]+): *(.*)$/s.exec(argument) ?? []) : [];
  if (header !== undefined) return `${header}: ${String(safeHeader(header, value, hide))}`;
  const [, name = "", set] = /^(-{0,2}[\w-]+)=(.*)$/s.exec(argument) ?? [];
  if (set !== undefined && SECRET_NAME.test(name)) return `${name}=${hide(placeOf(name), set)}`;
  if (/^--?\w/.test(before) && !before.includes("=") && SECRET_NAME.test(before) && !argument.startsWith("-")) {
    return hide(placeOf(before), argument);
  }
  return SECRET_START.test(argument) ? hide(`ARG_${at}`, argument) : safeUrl(argument, hide);
}

/** Of a URL, the name and password, and parameters that are called like a secret or look like one. */
function safeUrl(text: string, hide: Hide): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  const user = text.replace(/^([^:]+:\/\/)([^/?#@]+)@/, (_, scheme: string, login: string) => {
    return `${scheme}${hide("LOGIN", login)}@`;
  });
  return user.replace(/([?&])([^=&#]+)=([^&#]*)/g, (whole, mark: string, name: string, value: string) => {
    if (value === "" || !(SECRET_NAME.test(name) || looksSecret(value))) return whole;
    return `${mark}${name}=${hide(name, value)}`;
  });
}

function looksSecret(value: string): boolean {
  return SECRET_START.test(value) || RANDOM.test(value);
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
