/** The end of what a server wrote: it stays at the last line, unless somebody reads further up. */
import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { CopyButton } from "../../kit/copy.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";

/** So near to the end is at the end: screens scroll by fractions. */
const NEAR_PX = 8;

export function LogTail({ lines }: { lines: readonly string[] }): VNode {
  const text = lines.join("\n");
  const frame = useRef<HTMLPreElement>(null);
  const [follows, setFollows] = useState(true);
  const toEnd = (): void => frame.current?.scrollTo({ top: frame.current.scrollHeight });
  useLayoutEffect(() => {
    if (follows) toEnd();
  }, [text, follows]);
  const look = ({ currentTarget: { scrollTop, clientHeight, scrollHeight } }: { currentTarget: HTMLElement }): void =>
    setFollows(scrollTop + clientHeight >= scrollHeight - NEAR_PX);
  return html`<section class="card" aria-labelledby="servers-log">
    <div class="row">
      <h3 id="servers-log">${t("servers.log")}</h3>
      <span class="muted">${t("servers.log.live")}</span>
      <span class="grow"></span>
      ${!follows && html`<button type="button" class="button small" onClick=${() => setFollows(true)}>${t("servers.log.end")}</button>`}
      ${lines.length > 0 && html`<${CopyButton} text=${text} />`}
    </div>
    ${lines.length === 0 ? html`<p class="muted">${t("servers.log.none")}</p>` : html`<pre ref=${frame} class="servers-log" tabindex="0" role="log" aria-live="off" aria-labelledby="servers-log" onScroll=${look}>${text}</pre>`}
  </section>`;
}
