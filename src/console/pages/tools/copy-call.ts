/** The same call to take along. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Snippet } from "../../kit/copy.ts";
import { html } from "../../kit/html.ts";
import { currentKey } from "../../kit/key.ts";
import { t } from "../../kit/words.ts";
import { type CallToCopy, clientConfigOf, curlOf, jsonRpcOf, KEY_PLACEHOLDER, oneServerConfigOf } from "./snippets.ts";
import { Tabs } from "./tabs.ts";
import type { Tool } from "./tool-types.ts";

const KINDS = ["curl", "rpc", "client", "server"] as const;
type Kind = (typeof KINDS)[number];

const TEXTS: Readonly<Record<Kind, (call: CallToCopy) => string>> = {
  curl: curlOf,
  rpc: jsonRpcOf,
  client: clientConfigOf,
  server: (call) => oneServerConfigOf(call, call.server),
};

export function CopyCall({ tool, args }: { tool: Tool; args: unknown }): VNode {
  const [kind, setKind] = useState<Kind>("curl");
  const withKey = currentKey() !== null;
  const call = { base: new URL(".", document.baseURI).href, withKey, server: tool.serverSlug, tool: tool.name, args };
  const tabs = KINDS.map((name) => ({ name, label: t(`tools.copy.${name}`) }));
  return html`<section class="card" aria-labelledby="copy-title">
    <h3 id="copy-title">${t("tools.copy.title")}</h3>
    <${Tabs} label=${t("tools.copy.title")} tabs=${tabs} current=${kind} change=${setKind}>
      <p class="muted">${t(`tools.copy.${kind}Text`, { server: tool.serverName })}</p>
      <${Snippet} text=${TEXTS[kind](call)} label=${t(`tools.copy.${kind}`)} />
      ${withKey && kind !== "rpc" && html`<p class="muted">${t("tools.copy.key", { key: KEY_PLACEHOLDER })}</p>`}
    </${Tabs}>
  </section>`;
}
