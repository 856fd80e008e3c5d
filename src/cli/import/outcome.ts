/** What an import of an API came to, for people and, where it was asked for, as JSON. */
import type { ImportedApi, ImportPreview, Refreshed } from "../../contract/api.ts";
import type { Context } from "../command.ts";
import { printList, printNote, printOutcome } from "../output.ts";

export function showPreview(context: Context, preview: ImportPreview): void {
  const { name, title, baseUrl, operations, tags, schemes, skipped } = preview;
  const rows = operations.map((operation) => [operation.method, operation.path, operation.name]);
  printList(context, preview, ["method", "path", "tool"], rows);
  noteSkipped(context, skipped);
  printNote(context, "cli.import.previewed", { name, title, count: operations.length });
  if (baseUrl === null) printNote(context, "cli.import.noServer");
  if (tags.length > 0) printNote(context, "cli.import.tags", { names: tags.join(", ") });
  noteNames(context, "cli.import.schemes", schemes);
}

export function showImported(context: Context, api: ImportedApi): void {
  const { name, title, tools, skipped, schemes } = api;
  printOutcome(context, api, context.say("cli.import.doneApi", { name, title, count: tools }));
  noteSkipped(context, skipped);
  noteNames(context, "cli.import.noCredentials", lacking(schemes));
}

export function showRefreshed(context: Context, refreshed: Refreshed, isLook: boolean): void {
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

/** One that has been given is enough for many documents, which name several ways in. */
function lacking(schemes: ImportedApi["schemes"]): ImportedApi["schemes"] {
  return schemes.some(({ given }) => given) ? [] : schemes;
}
