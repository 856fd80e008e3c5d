/** What somebody wants to import: told apart by what is in it, not by its name. */
import { ConfigError } from "../../config/config-error.ts";
import { readConfigText } from "../../config/config-file.ts";
import { parseJsonText } from "../../config/load.ts";
import { CommandFailure } from "../failures.ts";
import { readInput } from "../given-text.ts";

type Kind = { readonly is: "OpenAPI" | "servers" } | { readonly is: "HandsAI"; readonly providers: unknown[] };

/** The most that a hub reads of an OpenAPI document. */
const DOCUMENT_BYTES_MAX = 16_000_000;

const YAML_DOCUMENT = /^(?:openapi|swagger|"openapi"|"swagger"|'openapi'|'swagger')\s*:/m;

/** A URL is fetched by the hub, which may be allowed to connect where this command is not. */
export function isAddress(operand: string): boolean {
  return /^https?:\/\//i.test(operand);
}

/** `-` is stdin. */
export async function readOperand(operand: string): Promise<string> {
  const text = operand === "-" ? await readStdin() : readConfigText(operand, DOCUMENT_BYTES_MAX);
  if (text === undefined) throw new CommandFailure("cli.import.noFile", { file: operand });
  return text.replace(/^\uFEFF/, "");
}

async function readStdin(): Promise<string> {
  const text = await readInput("-");
  if (Buffer.byteLength(text) <= DOCUMENT_BYTES_MAX) return text;
  throw new ConfigError(`stdin: is larger than ${DOCUMENT_BYTES_MAX} bytes`);
}

/** Anything else is taken for another client's file, whose reader says what is wrong with it. */
export function kindOf(text: string, source: string): Kind {
  const value = jsonIn(text, source);
  // YAML is no JSON, and its first line tells.
  if (value === undefined) return { is: YAML_DOCUMENT.test(text) ? "OpenAPI" : "servers" };
  if (has(value, "openapi") || has(value, "swagger")) return { is: "OpenAPI" };
  const providers = Array.isArray(value) ? value : [value];
  return isEachProvider(providers) ? { is: "HandsAI", providers } : { is: "servers" };
}

function isEachProvider(list: readonly unknown[]): boolean {
  return list.length > 0 && list.every((one) => has(one, "baseUrl") && has(one, "tools"));
}

/** The platform's reader first, since a document may be large; ours for what people write beside JSON. */
function jsonIn(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return withComments(text, source);
  }
}

function withComments(text: string, source: string): unknown {
  try {
    return parseJsonText(text, source);
  } catch (cause) {
    if (cause instanceof ConfigError) return undefined;
    throw cause;
  }
}

function has(value: unknown, key: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}
