/** What the command line says of an API beside where its document is. */
import type { NewImport } from "../../contract/api.ts";
import type { Context } from "../command.ts";
import { UsageError } from "../failures.ts";
import { isGiven, listOption, textOption } from "../options.ts";
import { checkedName, givenHeaders } from "../server-options.ts";
import { isAddress } from "./kind.ts";
import { givenAuth, refuseTwoInputs } from "./secrets.ts";

/** Only what was given. */
export type Settings = Pick<NewImport, "baseUrl" | "tags" | "paths" | "auth" | "headers">;

const SETTINGS = ["base-url", "tag", "path", "header", "bearer", "api-key", "basic"];
const OF_DOCUMENTS = ["name", ...SETTINGS, "preview", "refresh"];

export async function givenSettings(context: Context): Promise<Settings> {
  refuseTwoInputs(context);
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
