/** What the command line says of an API beside where its document is: its name, which operations, credentials, headers. */
import type { ApiAuth, NewImport } from "../../contract/api.ts";
import type { Context } from "../command.ts";
import { UsageError } from "../failures.ts";
import { readInput, refuseTwoInputs } from "../given-text.ts";
import { isGiven, listOption, textOption } from "../options.ts";
import { printNote } from "../output.ts";
import { checkedName, givenHeaders, warnOfOpenHeaders } from "../server-options.ts";
import { isAddress } from "./kind.ts";

/** Only what was given. */
export type Settings = Pick<NewImport, "baseUrl" | "tags" | "paths" | "auth" | "headers">;

const SETTINGS = ["base-url", "tag", "path", "header", "bearer", "api-key", "basic"];
const OF_DOCUMENTS = ["name", ...SETTINGS, "preview", "refresh"];

export async function givenSettings(context: Context): Promise<Settings> {
  refuseTwoInputs(context, fromStdin(context));
  const [tags, paths] = [listOption(context, "tag"), listOption(context, "path")];
  const baseUrl = checkedBase(context, textOption(context, "base-url"));
  const auth = await givenAuth(context);
  const headers = await givenHeaders(context);
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(tags.length > 0 && { tags }),
    ...(paths.length > 0 && { paths }),
    ...(auth && { auth }),
    ...(headers && { headers }),
  };
}

export function givenName(context: Context): string | undefined {
  const name = textOption(context, "name");
  return name === undefined ? undefined : checkedName(context, name);
}

/** The first option that says something of an API itself. */
export function firstSetting(context: Context): string | undefined {
  return SETTINGS.find((name) => isThere(context, name));
}

export function refuseDocumentOptions(context: Context, source: string, except: readonly string[]): void {
  const option = OF_DOCUMENTS.find((name) => !except.includes(name) && isThere(context, name));
  if (option === undefined) return;
  throw new UsageError("cli.import.onlyOpenApi", { option: `--${option}`, file: source }, context.command.name);
}

function isThere(context: Context, name: string): boolean {
  return textOption(context, name) !== undefined || listOption(context, name).length > 0 || isGiven(context, name);
}

function checkedBase(context: Context, url: string | undefined): string | undefined {
  if (url === undefined || (isAddress(url) && URL.canParse(url))) return url;
  throw new UsageError("cli.import.notUrl", { option: "--base-url", url }, context.command.name);
}

type ApiKeyPlace = Extract<ApiAuth, { readonly type: "apiKey" }>["in"];

/** How credentials are written. The secret may be `@FILE` or `@-` (stdin), and so not in the list of processes. */
interface Form {
  readonly option: string;
  readonly form: string;
  /** What stands before the secret, and the secret. */
  readonly pattern: RegExp;
  make(before: readonly string[], secret: string): ApiAuth;
}

const FORMS: readonly Form[] = [
  {
    option: "bearer",
    form: "TOKEN|@FILE",
    pattern: /^(.+)$/s,
    make: (_, token) => ({ type: "bearer", token }),
  },
  {
    option: "api-key",
    form: "'header|query|cookie:NAME=KEY|@FILE'",
    pattern: /^(header|query|cookie|body):([^=]+)=(.+)$/s,
    make: ([place, name = ""], value) => ({ type: "apiKey", in: place as ApiKeyPlace, name, value }),
  },
  {
    option: "basic",
    form: "'USER:PASSWORD|@FILE'",
    pattern: /^([^:]*):(.*)$/s,
    make: ([username = ""], password) => ({ type: "basic", username, password }),
  },
];

/** Undefined where no credentials were given. */
async function givenAuth(context: Context): Promise<ApiAuth | undefined> {
  const [given, other] = givenForms(context);
  if (given && other) {
    const params = { one: `--${given.option}`, other: `--${other.option}` };
    throw new UsageError("cli.usage.together", params, context.command.name);
  }
  if (!given) return undefined;
  const { before, secret } = partsOf(context, given);
  const text = secret.startsWith("@") ? await fromFile(context, secret.slice(1)) : secret;
  return given.make(before, text);
}

/** The operand and the credentials that are to be read from stdin. */
function fromStdin(context: Context): string[] {
  return [
    ...(context.operands[0] === "-" ? ["-"] : []),
    ...givenForms(context).flatMap((form) => (partsOf(context, form).secret === "@-" ? [`--${form.option} @-`] : [])),
  ];
}

/** To be called when the command has succeeded: after a mistake only that is told. */
export function warnOfOpenSecrets(context: Context): void {
  for (const form of givenForms(context)) {
    const { secret } = partsOf(context, form);
    if (secret !== "" && !secret.startsWith("@")) {
      printNote(context, "cli.import.openSecret", { option: `--${form.option}` });
    }
  }
  warnOfOpenHeaders(context);
}

function givenForms(context: Context): Form[] {
  return FORMS.filter(({ option }) => textOption(context, option) !== undefined);
}

function partsOf(context: Context, { option, form, pattern }: Form): { before: string[]; secret: string } {
  const [, ...parts] = pattern.exec(textOption(context, option) ?? "") ?? [];
  const secret = parts.pop();
  if (secret !== undefined) return { before: parts, secret };
  throw new UsageError("cli.usage.pair", { option: `--${option}`, form }, context.command.name);
}

async function fromFile(context: Context, file: string): Promise<string> {
  const text = (await readInput(file)).replace(/\r?\n$/, "");
  if (text.trim() === "") throw new UsageError("cli.server.emptyCredentials", {}, context.command.name);
  return text;
}
