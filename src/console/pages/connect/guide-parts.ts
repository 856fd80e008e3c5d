/** Draws a guide. */
import type { VNode } from "preact";
import { CopyButton, Snippet } from "../../kit/copy.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import type { Part } from "./guide.ts";

/** Where a client has a field for it and it stays empty. */
const NOTHING = "–";

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
