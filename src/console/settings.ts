/** Signing in with a key, and the settings in the header: language, theme, signing out. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Language } from "../messages/catalogue.ts";
import { html } from "./kit/html.ts";
import { currentKey, forgetKey, keyWanted, rememberKey } from "./kit/key.ts";
import { me } from "./kit/live.ts";
import { Field, toast, valueIn } from "./kit/parts.ts";
import { useStore } from "./kit/store.ts";
import { chooseTheme, THEMES, type Theme, theme } from "./kit/theme.ts";
import { chooseLanguage, language, languageNames, t } from "./kit/words.ts";

export function Settings(): VNode {
  const spoken = useStore(language);
  const shown = useStore(theme);
  const [, redraw] = useState({});
  useStore(me);
  // Texts come from the hub: where it is away, the menu shows the present language again.
  const choose = (wanted: Language): void => {
    chooseLanguage(wanted).catch(() => {
      redraw({});
      toast(t("problem.unreachable"), "bad");
    });
  };
  return html`<div class="settings">
    <select aria-label=${t("settings.language")} value=${spoken} onChange=${(event: Event) => choose(valueIn(event) as Language)}>
      ${Object.entries(languageNames()).map(([each, name]) => html`<option key=${each} value=${each} lang=${each}>${name}</option>`)}
    </select>
    <select aria-label=${t("settings.theme")} value=${shown} onChange=${(event: Event) => chooseTheme(valueIn(event) as Theme)}>
      ${THEMES.map((each) => html`<option key=${each} value=${each}>${t(`settings.theme.${each}`)}</option>`)}
    </select>
    ${currentKey() !== null && html`<button type="button" class="button small" onClick=${leave}>${t("key.forget")}</button>`}
  </div>`;
}

/** Signs out, and loads the page again so that nothing that was seen with the key stays in it. */
function leave(): void {
  forgetKey();
  keyWanted.set(true);
  location.reload();
}

/** Asks for a key: a browser on another machine gets in with one only. */
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
        onInput=${(event: Event) => setKey(valueIn(event))}
      />
    </${Field}>
    <label class="check"><input type="checkbox" checked=${keep} onChange=${() => setKeep(!keep)} /> ${t("key.keep")}</label>
    <div class="actions"><button class="button primary">${t("key.use")}</button></div>
  </form>`;
}
