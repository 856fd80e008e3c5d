/**
 * Servers as commands are told of them: name, address, credentials, headers. `zaguan server` needs all of it, `zaguan add`,
 * `import` and `export` and the doctor some.
 */
import { isIP } from "node:net";
import { isServerUrl } from "../contract/rules.ts";
import type { GivenServer } from "../contract/server.ts";
import { isPublicAddress } from "../security/addresses.ts";
import { isSecretHeader } from "../security/secret-rules.ts";
import { serverNameProblem } from "../server-name.ts";
import type { Context } from "./command.ts";
import { UsageError } from "./failures.ts";
import { givenText, headerOf, readInput, refuseTwoInputs } from "./given-text.ts";
import { choiceOption, listOption, textOption } from "./options.ts";
import { printNote } from "./output.ts";

/** Only what was given. */
type Spoken = Pick<GivenServer, "authType" | "credentials" | "headers">;

export async function spokenOptions(context: Context): Promise<Spoken> {
  refuseTwoInputs(context, textOption(context, "credentials-file") === "-" ? ["--credentials-file -"] : []);
  const authType = choiceOption(context, "auth") as Spoken["authType"];
  const credentials = await givenText(context, "credentials");
  if (credentials !== undefined && authType === "none") {
    throw new UsageError("cli.usage.together", { one: "--credentials", other: "--auth none" }, context.command.name);
  }
  if (credentials?.trim() === "") throw new UsageError("cli.server.emptyCredentials", {}, context.command.name);
  const headers = await givenHeaders(context);
  return {
    ...(authType !== undefined && { authType }),
    ...(credentials !== undefined && { credentials: asCredentials(credentials) }),
    ...(headers && { headers }),
  };
}

/** To be called when the command has succeeded: after a mistake only that is told. */
export function warnOfOpenSecrets(context: Context): void {
  if (textOption(context, "credentials") !== undefined) printNote(context, "cli.server.openCredentials");
  warnOfOpenHeaders(context);
}

export function warnOfOpenHeaders(context: Context): void {
  const open = listOption(context, "header").filter((text) => !text.startsWith("@"));
  for (const [name, value] of open.map((text) => headerOf(context, text))) {
    if (isSecretHeader(name, value)) printNote(context, "cli.server.openHeader", { name });
  }
}

export function checkedName(context: Context, name: string): string {
  const problem = serverNameProblem(name);
  if (problem === undefined) return name;
  throw new UsageError("cli.usage.setting", { reason: problem }, context.command.name);
}

export function checkedAddress(context: Context, name: string, url: string): string {
  if (isServerUrl(url)) return url;
  throw new UsageError("cli.add.notUrl", { url, name }, context.command.name);
}

/** `'K: V'`, or `@FILE` with one of these on each line, as curl has it. */
export async function givenHeaders(context: Context): Promise<Record<string, string> | undefined> {
  const headers: [string, string][] = [];
  for (const text of listOption(context, "header")) {
    if (text.startsWith("@")) headers.push(...(await headersIn(context, text.slice(1))));
    else headers.push(headerOf(context, text));
  }
  return headers.length > 0 ? Object.fromEntries(headers) : undefined;
}

async function headersIn(context: Context, file: string): Promise<[string, string][]> {
  const lines = (await readInput(file)).split(/\r?\n/).filter((line) => line.trim() !== "");
  return lines.map((line) => headerOf(context, line));
}

/** JSON `{"header": …, "value": …}` names the header of a key; any other text is the key itself. */
function asCredentials(text: string): Spoken["credentials"] {
  if (!text.trimStart().startsWith("{")) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether a URL leads to this machine or its network, as far as can be told without asking a name server. */
export function isPrivateUrl(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return !isPublicAddress(host);
  return host === "localhost" || /\.(?:localhost|local|lan|home|internal|home\.arpa)$/.test(host);
}
