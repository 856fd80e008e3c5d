/** What is taken of a document, under which name, at which address and with which credentials. */
import type { VNode } from "preact";
import type { ImportedApi, ImportPreview } from "../../../contract/api.ts";
import { html } from "../../kit/html.ts";
import { ProblemBox } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import { useIsTaken } from "./add-form.ts";
import { TextField } from "./fields.ts";
import type { Pair } from "./form-model.ts";
import { OpenApiAuth } from "./openapi-auth.ts";
import { type Choice, countOf, type Source } from "./openapi-model.ts";
import { OpenApiOperations } from "./openapi-operations.ts";
import { Pairs } from "./pairs.ts";
import { toolsText } from "./row.ts";
import { Skipped } from "./skipped.ts";
import type { Try } from "./use-try.ts";
import { Waiting } from "./waiting.ts";

interface OpenApiChoiceProps {
  readonly source: Source;
  readonly preview: ImportPreview;
  readonly choice: Choice;
  readonly setChoice: (choice: Choice) => void;
  readonly added: Try<ImportedApi>;
  readonly add: () => void;
}

export function OpenApiChoice({ source, preview, choice, setChoice, added, add }: OpenApiChoiceProps): VNode {
  const { problem, since } = added;
  const isTaken = useIsTaken(choice.name.trim());
  const change = (part: Partial<Choice>): void => setChoice({ ...choice, ...part });
  const submit = (event: Event): void => {
    event.preventDefault();
    if (since === undefined) add();
  };
  const isNothing = countOf(choice, preview.operations) === 0 || (choice.by === "tags" && choice.tags.size === 0);
  return html`<form class="stack" onSubmit=${submit}>
    <div class="card">
      <h3>${preview.title}</h3>
      <p class="muted" role="status">${t("servers.openapi.operations", { tools: toolsText(preview.operations.length) })}</p>
      <${Skipped} skipped=${preview.skipped} />
      <${TextField} id="openapi-name" label=${t("servers.form.name")} help=${t("servers.openapi.nameHelp")} wrong=${problem?.of("name") ?? (isTaken ? t("servers.taken") : undefined)} required value=${choice.name} change=${(name: string) => change({ name })} />
      <${TextField} id="openapi-base" type="url" label=${t("servers.api.base")} help=${preview.baseUrl === null ? t("servers.openapi.noBase") : t("servers.openapi.baseHelp")} wrong=${problem?.of("baseUrl")} required offers=${preview.servers} value=${choice.baseUrl} change=${(baseUrl: string) => change({ baseUrl })} />
    </div>
    <${OpenApiOperations} source=${source} preview=${preview} choice=${choice} change=${change} />
    <div class="card">
      <${OpenApiAuth} schemes=${preview.schemes} choice=${choice} change=${change} />
      <${Pairs} legend=${t("servers.form.headers")} help=${t("servers.form.headersHelp")} add=${t("servers.form.addHeader")} wrong=${problem?.of("headers")} pairs=${choice.headers} change=${(headers: readonly Pair[]) => change({ headers })} />
    </div>
    ${problem && html`<${ProblemBox} problem=${problem} />`}
    ${since !== undefined && html`<${Waiting} label=${t("servers.openapi.importing")} since=${since} />`}
    <div class="actions">
      ${isNothing && html`<span class="servers-wrong">${t("servers.openapi.nothing")}</span>`}
      <button class="button primary" disabled=${isTaken || isNothing} aria-disabled=${since !== undefined}>${importText(choice, preview)}</button>
    </div>
  </form>`;
}

function importText(choice: Choice, { operations }: ImportPreview): string {
  const count = countOf(choice, operations);
  return count === undefined
    ? t("servers.openapi.import")
    : t("servers.openapi.importTools", { tools: toolsText(count) });
}
