/** An OpenAPI document to the running hub: looked at, imported, or read again. */
import type { Context } from "../command.ts";
import { CommandFailure, UsageError } from "../failures.ts";
import { connectHub, type HubClient } from "../hub-client.ts";
import { HubRefusal } from "../hub-refusal.ts";
import { isGiven } from "../options.ts";
import { placeOf } from "../registry-client.ts";
import { APIS, type Api, apiFrom, apiNamed, isFrom, type Preview, patiently, type Refreshed } from "./api-client.ts";
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
  showPreview(context, (await patiently(context, hub, `${APIS}/preview`, bodyOf(wanted))) as Preview);
}

async function create(context: Context, hub: HubClient, wanted: Wanted): Promise<void> {
  try {
    showImported(context, (await patiently(context, hub, APIS, bodyOf(wanted))) as Api);
  } catch (cause) {
    if (!(cause instanceof HubRefusal) || cause.code !== "NAME_TAKEN") throw cause;
    throw new CommandFailure("cli.import.taken", { text: cause.message }, cause);
  }
}

/** What is said of the API counts before its document is read again; a mere look changes nothing. */
async function refresh(context: Context, hub: HubClient, api: Api, { source, settings }: Wanted): Promise<void> {
  const isLook = isGiven(context, "preview");
  const setting = firstSetting(context);
  if (isLook && setting !== undefined) {
    throw new UsageError("cli.usage.together", { one: "--refresh --preview", other: `--${setting}` }, "import");
  }
  if ("url" in source && !isFrom(api, source.url))
    throw new CommandFailure("cli.import.otherSource", { name: api.name });
  const place = placeOf(context, APIS, api.name);
  if (setting !== undefined) await hub.send("PATCH", place, settings);
  const body = { ...("document" in source && source), ...(isLook && { dryRun: true }) };
  showRefreshed(context, (await patiently(context, hub, `${place}/refresh`, body)) as Refreshed, isLook);
}

function knownApi(context: Context, hub: HubClient, { name, source }: Wanted): Promise<Api | undefined> {
  if (name !== undefined) return apiNamed(context, hub, name);
  return apiFrom(hub, "url" in source ? source.url : "");
}

function bodyOf({ name, source, settings }: Wanted): object {
  return { ...(name !== undefined && { name }), ...source, ...settings };
}

function checkedAddress(context: Context, url: string): string {
  if (isAddress(url) && URL.canParse(url)) return url;
  throw new UsageError("cli.import.notUrl", { option: "URL", url }, context.command.name);
}
