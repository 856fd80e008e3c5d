/** How the page looks and speaks, and the way out for who came with a key. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Language } from "../messages/catalogue.ts";
import { html } from "./kit/html.ts";
import { currentKey, forgetKey, keyWanted } from "./kit/key.ts";
import { me } from "./kit/live.ts";
import { useStore } from "./kit/store.ts";
import { chooseTheme, THEMES, type Theme, theme } from "./kit/theme.ts";
import { toast } from "./kit/toast.ts";
import { chooseLanguage, language, languageNames, t } from "./kit/words.ts";

export function Settings(): VNode {
  const spoken = useStore(language);
  const shown = useStore(theme);
  const [, redraw] = useState({});
  useStore(me);
  // Without the hub there are no words: the menu goes back to what is spoken.
  const choose = (wanted: Language): void => {
    chooseLanguage(wanted).catch(() => {
      redraw({});
      toast(t("problem.unreachable"), "bad");
    });
  };
  return html`<div class="settings">
    <select aria-label=${t("settings.language")} value=${spoken} onChange=${(event: Event) => choose(chosenIn(event) as Language)}>
      ${Object.entries(languageNames()).map(([each, name]) => html`<option key=${each} value=${each} lang=${each}>${name}</option>`)}
    </select>
    <select aria-label=${t("settings.theme")} value=${shown} onChange=${(event: Event) => chooseTheme(chosenIn(event) as Theme)}>
      ${THEMES.map((each) => html`<option key=${each} value=${each}>${t(`settings.theme.${each}`)}</option>`)}
    </select>
    ${currentKey() !== null && html`<button type="button" class="button small" onClick=${leave}>${t("key.forget")}</button>`}
  </div>`;
}

/** The page is loaded anew: nothing that was seen with the key stays in it. */
function leave(): void {
  forgetKey();
  keyWanted.set(true);
  location.reload();
}

function chosenIn(event: Event): string {
  return (event.target as HTMLSelectElement).value;
}
