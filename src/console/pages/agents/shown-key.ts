/** A key at the only time that it is shown. It stays until somebody says that it is kept: no Escape takes it away. */
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Snippet } from "../../kit/copy.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";

export function ShownKey({ title, text, done }: { title: string; text: string; done: () => void }): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return html`<div class="agents-shown-key" role="group" aria-label=${title}>
    <h3 ref=${heading} tabindex="-1">${title}</h3>
    <p><strong>${t("agents.shown.once")}</strong> ${t("agents.shown.why")}</p>
    <${Snippet} text=${text} label=${t("agents.shown.key")} />
    <div class="actions"><button type="button" class="button primary" onClick=${done}>${t("agents.shown.done")}</button></div>
  </div>`;
}
