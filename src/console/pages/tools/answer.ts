/** What came of a call: whether it went well, whose failure it was if not, what was answered, and how long it took. */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { ask, Problem } from "../../kit/api.ts";
import { rpcErrorOf, type ToolResult } from "../../kit/call-tool.ts";
import { CopyButton } from "../../kit/copy.ts";
import { readJson } from "../../kit/exact-json.ts";
import { bytes, span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { Badge, ProblemBox, WorkButton } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import { bytesOf, contentsOf, fileName, type Part, partsOf, webAddress } from "./answer-parts.ts";
import { FoldedText, JsonTree } from "./folded.ts";

export type Outcome = { readonly ms: number } & (
  | { readonly kind: "answered"; readonly result: ToolResult }
  | { readonly kind: "failed"; readonly problem: Problem }
  | { readonly kind: "cancelled" }
);

export function AnswerView({ outcome, server }: { outcome: Outcome; server: string }): VNode {
  return html`<div class="stack">
    <div class="row" role="status">
      <${Verdict} outcome=${outcome} />
      <span class="muted">${t("tools.answer.took", { time: span(outcome.ms) })}</span>
    </div>
    ${outcome.kind === "answered" && html`<${Answered} result=${outcome.result} server=${server} />`}
    ${outcome.kind === "failed" && html`<${Failed} problem=${outcome.problem} />`}
  </div>`;
}

function Verdict({ outcome }: { outcome: Outcome }): VNode {
  if (outcome.kind === "cancelled") return html`<${Badge} tone="warn">${t("tools.answer.cancelled")}</${Badge}>`;
  if (outcome.kind === "failed") return html`<${Badge} tone="bad">${t("tools.answer.hubFailed")}</${Badge}>`;
  if (outcome.result.isError === true) return html`<${Badge} tone="bad">${t("tools.answer.toolFailed")}</${Badge}>`;
  return html`<${Badge} tone="good">${t("tools.answer.good")}</${Badge}>`;
}

function Answered({ result, server }: { result: ToolResult; server: string }): VNode {
  const parts = useMemo(() => partsOf(result), [result]);
  const raw = useMemo(() => JSON.stringify(result, null, 2), [result]);
  return html`
    ${result.isError === true && html`<p>${t("tools.answer.toolFailedText")}</p>`}
    ${parts.length === 0 && html`<p class="muted">${t("tools.answer.empty")}</p>`}
    ${parts.map((part, at) => html`<${PartView} key=${at} part=${part} server=${server} />`)}
    <details class="raw">
      <summary>${t("tools.answer.raw")}</summary>
      <${CopyButton} text=${raw} />
      <pre tabindex="0" role="region" aria-label=${t("tools.answer.raw")}>${raw}</pre>
    </details>
  `;
}

/** The hub's own words; what it knows of the delivery says whether it is safe to try again. */
function Failed({ problem }: { problem: Problem }): VNode {
  const data = rpcErrorOf(problem)?.data as { code?: unknown; delivery?: unknown } | undefined;
  const code = problem.body.code ?? data?.code;
  const delivery = data?.delivery === "unknown" ? t("tools.answer.mayHaveRun") : undefined;
  return html`
    <${ProblemBox} problem=${problem} />
    ${typeof code === "string" && html`<p class="muted"><code>${code}</code></p>`}
    ${delivery !== undefined && html`<p>${delivery}</p>`}
  `;
}

type PartOf<Kind extends Part["kind"]> = Extract<Part, { kind: Kind }>;

/** One part of an answer, drawn as what it is. */
function PartView({ part, server }: { part: Part; server: string }): VNode {
  return html`<div class="answer-part">
    <p class="muted answer-kind">${kindOf(part)}${"uri" in part && part.uri !== undefined && part.kind !== "link" && html` · <code>${part.uri}</code>`}</p>
    <${Content} part=${part} server=${server} />
  </div>`;
}

function kindOf(part: Part): string {
  if (part.kind === "json" && part.isStructured) return t("tools.part.structured");
  return t(`tools.part.${part.kind}`);
}

function Content({ part, server }: { part: Part; server: string }): VNode {
  switch (part.kind) {
    case "text":
      return html`<${FoldedText} text=${part.text} />`;
    case "json":
    case "unknown":
      return html`<${JsonTree} value=${part.value} label=${kindOf(part)} />`;
    case "image":
      return html`<img class="answer-image" src=${part.source} alt=${t("tools.part.imageOf", { type: part.mime })} />`;
    case "audio":
      return html`<audio controls src=${part.source} aria-label=${t("tools.part.audio")}></audio>`;
    case "file":
      return html`<${FilePart} part=${part} />`;
    default:
      return html`<${LinkPart} part=${part} server=${server} />`;
  }
}

function FilePart({ part }: { part: PartOf<"file"> }): VNode {
  return html`<div class="row">
    <span>${part.mime}, ${bytes(bytesOf(part.base64))}</span>
    <button type="button" class="button small" onClick=${() => save(part)}>${t("tools.part.save")}</button>
  </div>`;
}

function save({ base64, mime, uri }: PartOf<"file">): void {
  const data = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const href = URL.createObjectURL(new Blob([data], { type: mime }));
  const link = Object.assign(document.createElement("a"), { href, download: fileName(uri) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** Something that the server has, by its name: it can be asked for it. */
function LinkPart({ part, server }: { part: PartOf<"link">; server: string }): VNode {
  const [read, setRead] = useState<readonly Part[]>();
  const [problem, setProblem] = useState<Problem>();
  const address = webAddress(part.uri);
  const fetchIt = async (): Promise<void> => {
    setProblem(undefined);
    setRead(contentsOf(await readResource(server, part.uri)));
  };
  return html`<div class="answer-link">
    <div class="row">
      <span><strong>${part.name ?? part.uri}</strong>${part.mime && html` <span class="muted">${part.mime}</span>`}</span>
      ${address ? html`<a href=${address} target="_blank" rel="noreferrer noopener">${part.uri}</a>` : html`<code>${part.uri}</code>`}
      <${WorkButton} class="button small" work=${fetchIt} failed=${setProblem}>${t("tools.part.read")}</${WorkButton}>
    </div>
    ${part.description && html`<p class="muted">${part.description}</p>`}
    ${problem && html`<${ProblemBox} problem=${problem} />`}
    ${read?.map((inner, at) => html`<${PartView} key=${at} part=${inner} server=${server} />`)}
  </div>`;
}

async function readResource(server: string, uri: string): Promise<Readonly<Record<string, unknown>>> {
  const body = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri } };
  const path = `/servers/${encodeURIComponent(server)}/mcp`;
  const answer = await ask("POST", path, { body, headers: { accept: "application/json" } });
  const { result, error } = readJson(await answer.text()) as {
    result?: Record<string, unknown>;
    error?: { message: string };
  };
  if (error) throw new Problem(answer.status, { detail: error.message });
  return result ?? {};
}
