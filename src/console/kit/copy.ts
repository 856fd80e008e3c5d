/** Text to take along: shown as it is, copied by one press. */
import type { VNode } from "preact";
import { html } from "./html.ts";
import { toast } from "./toast.ts";
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
