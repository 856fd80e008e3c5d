/** Text as it is, its line breaks kept; what is long is folded until somebody wants all of it. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";

const MOST_LINES = 25;
const MOST_CHARACTERS = 2_000;

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
