/** What is long, folded until somebody wants all of it: text, and JSON as a tree. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { exactDigits } from "../../kit/exact-json.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { isObject } from "./values.ts";

const MOST_LINES = 25;
const MOST_CHARACTERS = 2_000;

/** Text as it is, its line breaks kept. */
export function FoldedText({ text }: { text: string }): VNode {
  const [isWhole, setWhole] = useState(false);
  const start = beginningOf(text);
  const isFolded = start.length < text.length;
  return html`<div class="folded">
    <pre class="plain">${isWhole || !isFolded ? text : `${start}…`}</pre>
    ${
      isFolded &&
      html`<button type="button" class="button small" aria-expanded=${isWhole} onClick=${() => setWhole(!isWhole)}>
        ${isWhole ? t("tools.text.less") : t("tools.text.all", { count: number(text.length) })}
      </button>`
    }
  </div>`;
}

/** Cuts by lines and by length, never inside a character. */
export function beginningOf(text: string): string {
  let end = -1;
  for (let lines = 0; lines < MOST_LINES; lines++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) break;
  }
  const cut = Math.min(end < 0 ? text.length : end, MOST_CHARACTERS);
  const splits = /[\ud800-\udbff]/.test(text.charAt(cut - 1)) && cut < text.length;
  return text.slice(0, splits ? cut - 1 : cut);
}

/** Branches up to this depth are open at first, if they have few members. */
const OPEN_DEPTH = 2;
const OPEN_CHILDREN = 25;
const STEP = 100;
const LONGEST_TEXT = 500;

/** JSON to look through: what is inside is drawn when it is opened, so that a large answer costs what is seen of it. */
export function JsonTree({ value, label }: { value: unknown; label: string }): VNode {
  return html`<div class="json-tree" role="group" aria-label=${label} tabindex="0"><${Node} value=${value} depth=${0} /></div>`;
}

interface NodeProps {
  readonly value: unknown;
  readonly depth: number;
  readonly name?: string | undefined;
}

function Node(props: NodeProps): VNode {
  const { value, name } = props;
  const isBranch = (Array.isArray(value) && value.length > 0) || (isObject(value) && Object.keys(value).length > 0);
  if (isBranch) return html`<${Branch} ...${props} />`;
  return html`<div class="json-leaf"><${Name} name=${name} /><${Leaf} value=${value} /></div>`;
}

function Branch({ value, depth, name }: NodeProps): VNode {
  const entries = Object.entries(value as object);
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && entries.length <= OPEN_CHILDREN);
  const [limit, setLimit] = useState(STEP);
  const isList = Array.isArray(value);
  const count = t(isList ? "tools.json.items" : "tools.json.members", { count: number(entries.length) });
  const toggle = (event: Event): void => setOpen((event.target as HTMLDetailsElement).open);
  return html`<details open=${isOpen} onToggle=${toggle}>
    <summary><${Name} name=${name} /><span class="muted">${isList ? "[" : "{"} ${count} ${isList ? "]" : "}"}</span></summary>
    ${
      isOpen &&
      html`<div class="json-inside">
        ${entries.slice(0, limit).map(([key, inner]) => html`<${Node} key=${key} value=${inner} depth=${depth + 1} name=${key} />`)}
        ${entries.length > limit && html`<button type="button" class="button small" onClick=${() => setLimit(limit + STEP)}>${t("tools.json.more", { count: number(entries.length - limit) })}</button>`}
      </div>`
    }
  </details>`;
}

function Name({ name }: { name: string | undefined }): VNode | undefined {
  return name === undefined ? undefined : html`<span class="json-name">${name}: </span>`;
}

function Leaf({ value }: { value: unknown }): VNode {
  const [isWhole, setWhole] = useState(false);
  const digits = exactDigits(value);
  const text = digits ?? JSON.stringify(value) ?? "";
  const kind = digits === undefined ? (value === null ? "null" : typeof value) : "number";
  const isCut = text.length > LONGEST_TEXT && !isWhole;
  return html`<span class="json-value" data-kind=${kind}>${isCut ? `${text.slice(0, LONGEST_TEXT)}…` : text}</span>
    ${isCut && html` <button type="button" class="button small" onClick=${() => setWhole(true)}>${t("tools.text.all", { count: number(text.length) })}</button>`}`;
}
