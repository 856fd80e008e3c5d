/** One part of an answer, drawn as what it is. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ask } from "../../kit/api.ts";
import { readJson } from "../../kit/exact-json.ts";
import { bytes } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { ProblemBox, WorkButton } from "../../kit/parts.ts";
import { Problem } from "../../kit/problem.ts";
import { t } from "../../kit/words.ts";
import { bytesOf, contentsOf, fileName, type Part, webAddress } from "./answer-parts.ts";
import { FoldedText } from "./folded-text.ts";
import { JsonTree } from "./json-tree.ts";

type PartOf<Kind extends Part["kind"]> = Extract<Part, { kind: Kind }>;

export function PartView({ part, server }: { part: Part; server: string }): VNode {
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
