/** Which operations become tools: all, those with certain tags, or one by one. */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ImportPreview, ShownOperation } from "../../../contract/api.ts";
import { rest } from "../../kit/api.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { ProblemBox, Progress, valueIn } from "../../kit/parts.ts";
import { useLoad } from "../../kit/use-load.ts";
import { VirtualList } from "../../kit/virtual-list.ts";
import { t } from "../../kit/words.ts";
import { Choices } from "./fields.ts";
import { type Choice, idOf, type Source } from "./openapi-model.ts";
import { toolsText } from "./state.ts";

const OPERATION_PX = 64;

interface OperationsProps {
  readonly source: Source;
  readonly preview: ImportPreview;
  readonly choice: Choice;
  readonly change: (part: Partial<Choice>) => void;
}

export function OpenApiOperations({ source, preview, choice, change }: OperationsProps): VNode {
  const ways = preview.tags.length > 0 ? (["all", "tags", "operations"] as const) : (["all", "operations"] as const);
  const options = ways.map((value) => ({ value, label: t(`servers.openapi.take.${value}`) }));
  return html`<div class="card stack">
    <${Choices} legend=${t("servers.openapi.take")} name="openapi-take" value=${choice.by} options=${options} change=${(by: Choice["by"]) => change({ by })} />
    ${choice.by === "all" && html`<${Operations} operations=${preview.operations} />`}
    ${choice.by === "tags" && html`<${ByTags} source=${source} preview=${preview} choice=${choice} change=${change} />`}
    ${choice.by === "operations" && html`<${OneByOne} operations=${preview.operations} chosen=${choice.operations} change=${(operations: ReadonlySet<string>) => change({ operations })} />`}
  </div>`;
}

/** Which operations have a tag is for the hub to say. */
function ByTags({ source, preview, choice, change }: OperationsProps): VNode {
  const tags = [...choice.tags];
  const { value, problem, loading } = useLoad(
    async (signal) => (tags.length === 0 ? undefined : rest.previewApi({ body: { ...source, tags } }, signal)),
    [tags.join("\n"), source],
  );
  return html`<fieldset class="servers-tags">
      <legend>${t("servers.openapi.tags")}</legend>
      ${preview.tags.map((tag) => html`<label key=${tag} class="check"><input type="checkbox" checked=${choice.tags.has(tag)} onChange=${() => change({ tags: toggled(choice.tags, tag) })} /> ${tag}</label>`)}
    </fieldset>
    ${loading && tags.length > 0 && html`<${Progress} label=${t("servers.openapi.reading")} />`}
    ${problem && html`<${ProblemBox} problem=${problem} />`}
    ${value && html`<p role="status">${toolsText(value.operations.length)}</p><${Operations} operations=${value.operations} />`}`;
}

function OneByOne(props: {
  operations: readonly ShownOperation[];
  chosen: ReadonlySet<string>;
  change: (chosen: ReadonlySet<string>) => void;
}): VNode {
  const { operations, chosen, change } = props;
  const [search, setSearch] = useState("");
  const shown = useMemo(() => operations.filter((operation) => fits(operation, search)), [operations, search]);
  const ids = shown.map(idOf);
  return html`<div class="servers-pick">
      <input type="search" aria-label=${t("servers.openapi.search")} placeholder=${t("servers.openapi.search")} value=${search} onInput=${(event: Event) => setSearch(valueIn(event))} />
      <button type="button" class="button small" onClick=${() => change(new Set([...chosen, ...ids]))}>${t("servers.openapi.tickShown")}</button>
      <button type="button" class="button small" onClick=${() => change(new Set([...chosen].filter((id) => !ids.includes(id))))}>${t("servers.openapi.untickShown")}</button>
    </div>
    <${Operations} operations=${shown} chosen=${chosen} toggle=${(id: string) => change(toggled(chosen, id))} />`;
}

function Operations(props: {
  operations: readonly ShownOperation[];
  chosen?: ReadonlySet<string> | undefined;
  toggle?: ((id: string) => void) | undefined;
}): VNode {
  const { operations, chosen, toggle } = props;
  return html`<${VirtualList}
    class="servers-previewed"
    rows=${operations}
    rowHeight=${OPERATION_PX}
    label=${t("servers.openapi.list")}
    keyOf=${idOf}
    draw=${(operation: ShownOperation) => html`<${Operation} operation=${operation} ticked=${chosen?.has(idOf(operation))} toggle=${toggle} />`}
  />`;
}

function Operation(props: {
  operation: ShownOperation;
  ticked: boolean | undefined;
  toggle: ((id: string) => void) | undefined;
}): VNode {
  const { operation, ticked, toggle } = props;
  const { name, method, path, description } = operation;
  const text = html`<span class="servers-tool">
    <span class="ellipsis"><code>${name}</code> <span class="servers-method">${method}</span> <span class="muted">${path}</span></span>
    <span class="muted ellipsis">${description}</span>
  </span>`;
  if (!toggle) return html`<div class="servers-operation">${text}</div>`;
  return html`<label class="servers-operation"><input type="checkbox" checked=${ticked} onChange=${() => toggle(idOf(operation))} /> ${text}</label>`;
}

function fits({ name, method, path, description }: ShownOperation, search: string): boolean {
  const text = `${name} ${method} ${path} ${description}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function toggled(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  return set.has(item) ? new Set([...set].filter((each) => each !== item)) : new Set([...set, item]);
}

/** Parts of a document that could not become tools, each with the reason. */
export function Skipped({ skipped }: { skipped: ImportPreview["skipped"] }): VNode | null {
  if (skipped.length === 0) return null;
  return html`<details class="servers-notice" data-tone="warn">
    <summary>${t("servers.skipped", { count: number(skipped.length) })}</summary>
    <ul class="servers-skipped">
      ${skipped.map(({ where, reason }) => html`<li key=${where}><code>${where}</code> ${reason}</li>`)}
    </ul>
  </details>`;
}
