/** Asks for a key: beyond this machine nobody gets in without one. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./kit/html.ts";
import { currentKey, rememberKey } from "./kit/key.ts";
import { Field } from "./kit/parts.ts";
import { t } from "./kit/words.ts";

export function KeyPrompt(): VNode {
  const [key, setKey] = useState("");
  const [keep, setKeep] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const wasWrong = currentKey() !== null;
  useEffect(() => field.current?.focus(), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (key.trim() !== "") rememberKey(key.trim(), keep);
  };
  return html`<form class="card key-prompt" onSubmit=${submit}>
    <h1>${t("key.title")}</h1>
    <p>${t("key.why")}</p>
    <${Field} id="key" label=${t("key.label")} help=${t("key.help")} wrong=${wasWrong ? t("key.wrong") : undefined}>
      <input
        ref=${field}
        id="key"
        type="password"
        autocomplete="off"
        spellcheck="false"
        required
        aria-invalid=${wasWrong}
        aria-describedby="key-help key-wrong"
        value=${key}
        onInput=${(event: Event) => setKey((event.target as HTMLInputElement).value)}
      />
    </${Field}>
    <label class="check"><input type="checkbox" checked=${keep} onChange=${() => setKeep(!keep)} /> ${t("key.keep")}</label>
    <div class="actions"><button class="button primary">${t("key.use")}</button></div>
  </form>`;
}
