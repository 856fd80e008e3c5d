/** A whole API by its OpenAPI document: read first, then chosen from, then imported. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ImportedApi, ImportPreview } from "../../../contract/api.ts";
import { rest } from "../../kit/api.ts";
import { bytes } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { ProblemBox, toast } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import { useIsTaken } from "./add-form.ts";
import { Choices, Pairs, TextArea, TextField } from "./fields.ts";
import type { Pair } from "./form-model.ts";
import { OpenApiAuth } from "./openapi-auth.ts";
import { type Choice, countOf, firstChoice, importOf, type Source } from "./openapi-model.ts";
import { OpenApiOperations, Skipped } from "./openapi-operations.ts";
import { goTo, serverLink } from "./route.ts";
import { toolsText } from "./state.ts";
import { type Try, useTry, Waiting } from "./use-try.ts";
import { forget } from "./work.ts";

/** The hub takes no more in one request. */
const MOST_BYTES = 15_000_000;

type By = "url" | "file" | "text";

interface Given {
  readonly by: By;
  readonly url: string;
  readonly text: string;
  readonly file: File | undefined;
}

interface Read {
  readonly source: Source;
  readonly preview: ImportPreview;
}

export function AddByOpenApi(): VNode {
  const [given, setGiven] = useState<Given>({ by: "url", url: "", text: "", file: undefined });
  const [choice, setChoice] = useState<Choice>();
  const read = useTry<Read>();
  const added = useTry<ImportedApi>();
  const isTooLarge = (given.file?.size ?? 0) > MOST_BYTES;
  const change = (part: Partial<Given>): void => {
    setGiven({ ...given, ...part });
    setChoice(undefined);
    read.reset();
    added.reset();
  };
  const look = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (read.since !== undefined) return;
    added.reset();
    const found = await read.run(async (signal) => readDocument(await sourceOf(given), signal));
    setChoice(found && firstChoice(found.preview));
  };
  const add = async (): Promise<void> => {
    if (!read.value || !choice) return;
    const body = importOf(read.value.source, read.value.preview, choice);
    const api = await added.run((signal) => rest.importApi({ body }, signal));
    if (!api) return;
    // Work of an earlier server of that name is not this one's.
    forget(api.name);
    toast(t("servers.openapi.done", { name: api.name, tools: toolsText(api.tools) }));
    goTo(serverLink(api.name));
  };
  return html`<div class="servers-form">
    <form class="card" onSubmit=${look}>
      <${SourceFields} given=${given} change=${change} isTooLarge=${isTooLarge} />
      <div class="actions">
        <button class=${choice ? "button" : "button primary"} disabled=${isTooLarge} aria-disabled=${read.since !== undefined}>${t("servers.openapi.read")}</button>
      </div>
    </form>
    ${read.since !== undefined && html`<${Waiting} label=${t("servers.openapi.reading")} since=${read.since} stop=${read.reset} />`}
    ${read.problem && html`<${ProblemBox} problem=${read.problem} />`}
    ${read.value && choice && html`<${OpenApiChoice} source=${read.value.source} preview=${read.value.preview} choice=${choice} setChoice=${setChoice} added=${added} add=${add} />`}
  </div>`;
}

function SourceFields(props: { given: Given; change: (part: Partial<Given>) => void; isTooLarge: boolean }): VNode {
  const { given, change, isTooLarge } = props;
  const options = (["url", "file", "text"] as const).map((value) => ({
    value,
    label: t(`servers.openapi.by.${value}`),
  }));
  const choose = (event: Event): void => change({ file: (event.target as HTMLInputElement).files?.[0] });
  return html`<${Choices} legend=${t("servers.openapi.where")} name="openapi-by" value=${given.by} options=${options} change=${(by: By) => change({ by })} />
    ${given.by === "url" && html`<${TextField} id="openapi-url" type="url" label=${t("servers.openapi.url")} help=${t("servers.openapi.urlHelp")} placeholder="https://example.org/openapi.json" required value=${given.url} change=${(url: string) => change({ url })} />`}
    ${given.by === "text" && html`<${TextArea} id="openapi-text" rows=${10} label=${t("servers.openapi.text")} help=${t("servers.openapi.textHelp")} required value=${given.text} change=${(text: string) => change({ text })} />`}
    ${
      given.by === "file" &&
      html`<div class="field">
      <label for="openapi-file">${t("servers.openapi.file")}</label>
      <input id="openapi-file" type="file" required accept=".json,.yaml,.yml,application/json,application/yaml" aria-describedby=${isTooLarge ? "openapi-file-wrong" : undefined} onChange=${choose} />
      ${isTooLarge && html`<p class="wrong" id="openapi-file-wrong">${t("servers.openapi.tooLarge", { size: bytes(given.file?.size ?? 0), most: bytes(MOST_BYTES) })}</p>`}
    </div>`
    }`;
}

async function sourceOf({ by, url, text, file }: Given): Promise<Source> {
  if (by === "url") return { url: url.trim() };
  return { document: by === "text" ? text : ((await file?.text()) ?? "") };
}

async function readDocument(source: Source, signal: AbortSignal): Promise<Read> {
  return { source, preview: await rest.previewApi({ body: source }, signal) };
}

interface OpenApiChoiceProps {
  readonly source: Source;
  readonly preview: ImportPreview;
  readonly choice: Choice;
  readonly setChoice: (choice: Choice) => void;
  readonly added: Try<ImportedApi>;
  readonly add: () => void;
}

/** What is taken of a document, under which name, at which address and with which credentials. */
function OpenApiChoice({ source, preview, choice, setChoice, added, add }: OpenApiChoiceProps): VNode {
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
