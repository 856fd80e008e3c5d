/** Text to take along: shown as it is, copied by one press, quoted for a shell. */
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { html } from "./html.ts";
import { toast } from "./parts.ts";
import { t } from "./words.ts";

export function CopyButton({ text, label }: { text: string; label?: string | undefined }): VNode {
  const copy = async (): Promise<void> => {
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    // Browsers copy only on this machine or over HTTPS.
    toast(isCopied ? t("copy.done") : t("copy.failed"), isCopied ? "good" : "bad");
  };
  return html`<button type="button" class="button small" onClick=${copy}>${label ?? t("copy.copy")}</button>`;
}

/** A piece of code with its copy button. `label` says what it is, to those who cannot see it. */
export function Snippet({ text, label }: { text: string; label: string }): VNode {
  return html`<div class="snippet">
    <pre tabindex="0" role="region" aria-label=${label}><code>${text}</code></pre>
    <${CopyButton} text=${text} />
  </div>`;
}

/** A key at the only time that it is shown. It stays until somebody says that it is kept: no Escape takes it away. */
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

/** A text as one word of a POSIX shell, in which none of its characters means anything. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
