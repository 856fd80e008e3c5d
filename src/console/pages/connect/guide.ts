/** What a guide to one client consists of (texts by their keys, and things to copy), and how it is drawn. */
import type { VNode } from "preact";
import { isObject } from "../../../contract/rules.ts";
import type { ConsoleKey } from "../../../messages/en/console.ts";
import { CopyButton, Snippet } from "../../kit/copy.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import type { Place } from "./place.ts";

export type Part =
  | { readonly kind: "heading" | "text" | "note"; readonly say: ConsoleKey; readonly params?: Params | undefined }
  | { readonly kind: "snippet"; readonly say: ConsoleKey; readonly text: string }
  /** What to enter where, in the words of the client. */
  | { readonly kind: "fields"; readonly say: ConsoleKey; readonly rows: readonly Row[] }
  /** Opens the client itself. */
  | { readonly kind: "link"; readonly say: ConsoleKey; readonly href: string };

type Params = Readonly<Record<string, string>>;
type Row = readonly [field: string, value: string];

export type Guide = (place: Place) => readonly Part[];

export function heading(say: ConsoleKey): Part {
  return { kind: "heading", say };
}

export function text(say: ConsoleKey, params?: Params): Part {
  return { kind: "text", say, params };
}

export function note(say: ConsoleKey, params?: Params): Part {
  return { kind: "note", say, params };
}

export function snippet(say: ConsoleKey, written: string): Part {
  return { kind: "snippet", say, text: written };
}

export function json(say: ConsoleKey, value: object): Part {
  return snippet(say, pretty(value));
}

/** As people write it: lists of words on one line, everything else on lines of its own. */
export function pretty(value: unknown, indent = ""): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (!value.some(isObject)) return `[${value.map((one) => JSON.stringify(one)).join(", ")}]`;
    return `[\n${value.map((one) => inner + pretty(one, inner)).join(",\n")}\n${indent}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${inner}${JSON.stringify(name)}: ${pretty(one, inner)}`);
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n${indent}}`;
}

export function fields(say: ConsoleKey, ...rows: readonly Row[]): Part {
  return { kind: "fields", say, rows };
}

export function link(say: ConsoleKey, href: string): Part {
  return { kind: "link", say, href };
}

/** `\${NAME}`, made of parts so that no reader takes it for a template. */
export function variable(name: string): string {
  return `\${${name}}`;
}

/** Where a client has a field for it and it stays empty. */
const NOTHING = "–";

/** Draws a guide. */
export function GuideParts({ parts }: { parts: readonly Part[] }): VNode {
  return html`${parts.map((part, index) => html`<${OnePart} key=${index} part=${part} />`)}`;
}

function OnePart({ part }: { part: Part }): VNode {
  switch (part.kind) {
    case "heading":
      return html`<h3 class="connect-heading">${t(part.say, part.params)}</h3>`;
    case "text":
      return html`<p><${Marked} text=${t(part.say, part.params)} /></p>`;
    case "note":
      return html`<p class="connect-note"><${Marked} text=${t(part.say, part.params)} /></p>`;
    case "snippet":
      return html`<figure class="connect-snippet">
        <figcaption class="muted">${t(part.say)}</figcaption>
        <${Snippet} text=${part.text} label=${t(part.say)} />
      </figure>`;
    case "fields":
      return html`<${Fields} part=${part} />`;
    case "link":
      return html`<p><a class="button primary" href=${part.href}>${t(part.say)}</a></p>`;
  }
}

function Fields({ part }: { part: Part & { readonly kind: "fields" } }): VNode {
  return html`<figure class="connect-snippet">
    <figcaption class="muted">${t(part.say)}</figcaption>
    <dl class="connect-fields">
      ${part.rows.map(
        ([field, value]) => html`<div key=${field}>
          <dt>${field}</dt>
          <dd><code>${value}</code></dd>
          ${value !== NOTHING && html`<dd class="connect-copy"><${CopyButton} text=${value} /></dd>`}
        </div>`,
      )}
    </dl>
  </figure>`;
}

/** What stands between backquotes is to be typed as it is. */
function Marked({ text }: { text: string }): VNode {
  return html`${text.split("`").map((piece, index) => (index % 2 === 0 ? piece : html`<code>${piece}</code>`))}`;
}
