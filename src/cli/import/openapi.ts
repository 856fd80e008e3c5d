/** An OpenAPI document to the running hub: previewed, imported, or read again; and what came of it, for people or as JSON. */
import type { ImportedApi, ImportPreview, NewImport, Refreshed } from "../../contract/api.ts";
import type { Context } from "../command.ts";
import { CommandFailure, UsageError } from "../failures.ts";
import { connectHub, type HubClient, HubRefusal, orUndefined, type Timing } from "../hub-client.ts";
import { isGiven } from "../options.ts";
import { printList, printNote, printOutcome } from "../output.ts";
import { spinner } from "../progress.ts";
import { listed, namedIn } from "../registry-client.ts";
import { isAddress } from "./kind.ts";
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

function showPreview(context: Context, preview: ImportPreview): void {
  const { name, title, baseUrl, operations, tags, schemes, skipped } = preview;
  const rows = operations.map((operation) => [operation.method, operation.path, operation.name]);
  printList(context, preview, ["method", "path", "tool"], rows);
  noteSkipped(context, skipped);
  printNote(context, "cli.import.previewed", { name, title, count: operations.length });
  if (baseUrl === null) printNote(context, "cli.import.noServer");
  if (tags.length > 0) printNote(context, "cli.import.tags", { names: tags.join(", ") });
  noteNames(context, "cli.import.schemes", schemes);
}

function showImported(context: Context, api: ImportedApi): void {
  const { name, title, tools, skipped, schemes } = api;
  printOutcome(context, api, context.say("cli.import.doneApi", { name, title, count: tools }));
  noteSkipped(context, skipped);
  noteNames(context, "cli.import.noCredentials", lacking(schemes));
}

function showRefreshed(context: Context, refreshed: Refreshed, isLook: boolean): void {
  const { api, changes, skipped } = refreshed;
  printList(context, refreshed, ["change", "tool", "what"], changeRows(context, changes));
  noteSkipped(context, skipped);
  const { added, removed, changed } = changes;
  const counts = { added: added.length, removed: removed.length, changed: changed.length };
  printNote(context, isLook ? "cli.import.wouldRefresh" : "cli.import.refreshed", { name: api.name, ...counts });
}

function changeRows({ say }: Context, { added, removed, changed }: Refreshed["changes"]): string[][] {
  return [
    ...added.map((name) => [say("cli.change.added"), name, ""]),
    ...removed.map((name) => [say("cli.change.removed"), name, ""]),
    ...changed.map(({ name, members }) => [say("cli.change.changed"), name, members.join(", ")]),
  ];
}

function noteSkipped(context: Context, skipped: Refreshed["skipped"]): void {
  for (const { where, reason } of skipped) printNote(context, "cli.import.skipped", { name: where, reason });
}

function noteNames(
  context: Context,
  key: "cli.import.schemes" | "cli.import.noCredentials",
  schemes: ImportPreview["schemes"],
): void {
  const names = schemes.map(({ name, type }) => `${name} (${type})`).join(", ");
  if (names !== "") printNote(context, key, { names });
}

/** None where one scheme has credentials: documents often offer several to choose from. */
function lacking(schemes: ImportedApi["schemes"]): ImportedApi["schemes"] {
  return schemes.some(({ given }) => given) ? [] : schemes;
}
