/** What the page shows of texts that hide something; its rules are those of the command line and the hub, kept twice. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { VNode } from "preact";
import { visible } from "../../protocol/text/hidden.ts";
import { splitAtHidden, visible as visibleOnPage } from "./hidden.ts";
import { html } from "./html.ts";

const RANGES = [
  [0, 0xffff],
  [0x1_d100, 0x1_d200],
  [0x1_f000, 0x1_faff],
  [0xe_0000, 0xe_0fff],
] as const;

describe("hidden characters on the page", () => {
  it("are those that the command line shows", () => {
    for (const [first, last] of RANGES) {
      for (let code = first; code <= last; code++) {
        const character = String.fromCodePoint(code);
        for (const text of [`a${character}b`, `א${character}`, `☺${character}☺`]) {
          assert.equal(visibleOnPage(text), visible(text), code.toString(16));
        }
      }
    }
  });

  it("are marked in every text of an element, at any depth, and the text around them stays text", () => {
    const name = "<b>dele\u202Ete";
    const { props } = html`<p title=${name}>${["tool ", [name]]}</p>` as VNode<Record<string, unknown>>;
    assert.equal(props["title"], "<b>dele⟨U+202E⟩te");
    const [first, [[before, mark, behind]]] = props["children"] as [string, [[string, VNode, string]]];
    assert.deepEqual([first, before, behind], ["tool ", "<b>dele", "te"]);
    assert.deepEqual([mark.type, mark.props], ["span", { class: "hidden-character", children: "⟨U+202E⟩" }]);
  });

  it("are written out where an element holds nothing but text, and left alone in values", () => {
    const { props } = html`<option value=${"a\u200B"}>${"a\u200B"}</option>` as VNode<Record<string, unknown>>;
    assert.deepEqual(props, { value: "a\u200B", children: "a⟨U+200B⟩" });
  });

  it("leave a text without any as it is", () => {
    assert.equal(splitAtHidden("a tool 🏳️‍🌈"), undefined);
    assert.equal((html`<p>${"plain"}</p>` as VNode<Record<string, unknown>>).props["children"], "plain");
  });
});
