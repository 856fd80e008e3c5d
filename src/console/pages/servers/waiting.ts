/** Work that takes a while: what is done, for how long already, and a way out. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { Progress } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";

export function Waiting(props: { label: string; since: number; stop?: (() => void) | undefined }): VNode {
  const { label, since, stop } = props;
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((now - since) / 1_000)) * 1_000;
  return html`<div class="servers-waiting" ref=${intoView}>
    <${Progress} label=${label} />
    <div class="row">
      <span class="muted" aria-hidden="true">${seconds === 0 ? " " : span(seconds)}</span>
      <span class="grow"></span>
      ${stop && html`<button type="button" class="button small" onClick=${stop}>${t("servers.stop")}</button>`}
    </div>
  </div>`;
}

/** For what appears because somebody asked for it, and might do so below the edge of the screen. */
export function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
