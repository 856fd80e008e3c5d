/**
 * What an imported API wants to be sent: credentials and headers. A secret may be `@FILE` or `@-` (stdin), so that it need
 * not stand in the list of processes.
 */
import type { ApiAuth } from "../../contract/api.ts";
import type { Context } from "../command.ts";
import { UsageError } from "../failures.ts";
import { readInput } from "../given-text.ts";
import { listOption, textOption } from "../options.ts";
import { printNote } from "../output.ts";
import { warnOfOpenHeaders } from "../server-options.ts";

type ApiKeyPlace = Extract<ApiAuth, { readonly type: "apiKey" }>["in"];

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

/** Undefined where none were given. */
export async function givenAuth(context: Context): Promise<ApiAuth | undefined> {
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

/** stdin can be read once. */
export function refuseTwoInputs(context: Context): void {
  const fromStdin = [
    ...(context.operands[0] === "-" ? ["-"] : []),
    ...givenForms(context).flatMap((form) => (partsOf(context, form).secret === "@-" ? [`--${form.option} @-`] : [])),
    ...listOption(context, "header").flatMap((text) => (text === "@-" ? ["--header @-"] : [])),
  ];
  const [one = "", other] = fromStdin;
  if (other !== undefined) throw new UsageError("cli.usage.together", { one, other }, context.command.name);
}

/** For afterwards: whoever got the command wrong is told that alone. */
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
