/** An OpenAPI document to the running hub: looked at, imported, or read again. */
import type { ImportedApi, NewImport } from "../../contract/api.ts";
import type { Context } from "../command.ts";
import { CommandFailure, UsageError } from "../failures.ts";
import { connectHub, type HubClient } from "../hub-client.ts";
import { HubRefusal } from "../hub-refusal.ts";
import { isGiven } from "../options.ts";
import { namedIn } from "../registry-client.ts";
import { apiFrom, apiNamed, isFrom, patiently } from "./api-client.ts";
import { isAddress } from "./kind.ts";
import { showImported, showPreview, showRefreshed } from "./outcome.ts";
import { warnOfOpenSecrets } from "./secrets.ts";
import { firstSetting, givenName, givenSettings, type Settings } from "./settings.ts";

interface Wanted {
  readonly name: string | undefined;
  /** Where the document is, or what it is. */
  readonly source: { readonly url: string } | { readonly document: string };
  readonly settings: Settings;
}

/** `text` is undefined for an address. */
export async function importApi(context: Context, text: string | undefined): Promise<number> {
  const [operand = ""] = context.operands;
  const source = text === undefined ? { url: checkedAddress(context, operand) } : { document: text };
  const name = givenName(context);
  if (isGiven(context, "refresh") && name === undefined && "document" in source) {
    throw new UsageError("cli.import.refreshName", {}, context.command.name);
  }
  const wanted = { name, source, settings: await givenSettings(context) };
  const hub = connectHub(context);
  const known = isGiven(context, "refresh") ? await knownApi(context, hub, wanted) : undefined;
  if (known) await refresh(context, hub, known, wanted);
  else if (isGiven(context, "preview")) await preview(context, hub, wanted);
  else await create(context, hub, wanted);
  warnOfOpenSecrets(context);
  return 0;
}

async function preview(context: Context, hub: HubClient, wanted: Wanted): Promise<void> {
  showPreview(context, await patiently(context, (timing) => hub.api.previewApi({ body: bodyOf(wanted) }, timing)));
}

async function create(context: Context, hub: HubClient, wanted: Wanted): Promise<void> {
  try {
    showImported(context, await patiently(context, (timing) => hub.api.importApi({ body: bodyOf(wanted) }, timing)));
  } catch (cause) {
    if (!(cause instanceof HubRefusal) || cause.code !== "NAME_TAKEN") throw cause;
    throw new CommandFailure("cli.import.taken", { text: cause.message }, cause);
  }
}

/** What is said of the API counts before its document is read again; a mere look changes nothing. */
async function refresh(
  context: Context,
  hub: HubClient,
  api: ImportedApi,
  { source, settings }: Wanted,
): Promise<void> {
  const isLook = isGiven(context, "preview");
  const setting = firstSetting(context);
  if (isLook && setting !== undefined) {
    throw new UsageError("cli.usage.together", { one: "--refresh --preview", other: `--${setting}` }, "import");
  }
  if ("url" in source && !isFrom(api, source.url))
    throw new CommandFailure("cli.import.otherSource", { name: api.name });
  const id = namedIn(context, api.name);
  if (setting !== undefined) await hub.api.changeApi({ id, body: settings });
  const body = { ...("document" in source && source), ...(isLook && { dryRun: true }) };
  const refreshed = await patiently(context, (timing) => hub.api.refreshApi({ id, body }, timing));
  showRefreshed(context, refreshed, isLook);
}

function knownApi(context: Context, hub: HubClient, { name, source }: Wanted): Promise<ImportedApi | undefined> {
  if (name !== undefined) return apiNamed(context, hub, name);
  return apiFrom(hub, "url" in source ? source.url : "");
}

function bodyOf({ name, source, settings }: Wanted): NewImport {
  return { ...(name !== undefined && { name }), ...source, ...settings };
}

function checkedAddress(context: Context, url: string): string {
  if (isAddress(url) && URL.canParse(url)) return url;
  throw new UsageError("cli.import.notUrl", { option: "URL", url }, context.command.name);
}
