/** An OpenAPI document to the running hub: previewed, imported, or read again. */
import type { ImportedApi, NewImport } from "../../contract/api.ts";
import type { Context } from "../command.ts";
import { CommandFailure, UsageError } from "../failures.ts";
import { connectHub, type HubClient, HubRefusal, orUndefined, type Timing } from "../hub-client.ts";
import { isGiven } from "../options.ts";
import { spinner } from "../progress.ts";
import { listed, namedIn } from "../registry-client.ts";
import { isAddress } from "./kind.ts";
import { showImported, showPreview, showRefreshed } from "./outcome.ts";
import { firstSetting, givenName, givenSettings, type Settings, warnOfOpenSecrets } from "./settings.ts";

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
  if (name !== undefined) return orUndefined(hub.api.getApi({ id: namedIn(context, name) }));
  return apiFrom(hub, "url" in source ? source.url : "");
}

function bodyOf({ name, source, settings }: Wanted): NewImport {
  return { ...(name !== undefined && { name }), ...source, ...settings };
}

function checkedAddress(context: Context, url: string): string {
  if (isAddress(url) && URL.canParse(url)) return url;
  throw new UsageError("cli.import.notUrl", { option: "URL", url }, context.command.name);
}

/** A document may be large, and its address slow. */
const TIMEOUT_MS = 180_000;

/** Shows on a terminal that the work goes on. */
export async function patiently<Answer>(context: Context, ask: (timing: Timing) => Promise<Answer>): Promise<Answer> {
  const [source = ""] = context.operands;
  const progress = spinner(context.world.stderr, context.say("cli.import.working", { file: source }));
  try {
    return await ask({ timeoutMs: TIMEOUT_MS });
  } finally {
    progress.stop();
  }
}

/** The one that came from this address; several have to be told apart by name. */
async function apiFrom(hub: HubClient, url: string): Promise<ImportedApi | undefined> {
  const found = (await listed(hub, hub.api.listApis())).filter((api) => isFrom(api, url));
  if (found.length < 2) return found[0];
  const names = found.map(({ name }) => name).join(", ");
  throw new CommandFailure("cli.import.severalApis", { url: withoutQuery(url), names });
}

function isFrom(api: ImportedApi, url: string): boolean {
  return api.url !== null && withoutQuery(api.url) === withoutQuery(url);
}

/** For comparing URLs, since the hub shows them without their queries. */
function withoutQuery(url: string): string {
  const { href } = URL.parse(url) ?? { href: url };
  return href.split(/[?#]/, 1)[0] ?? href;
}
