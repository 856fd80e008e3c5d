/** The same call to take along: for a shell, for a program, and for a client's configuration. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Snippet } from "../../kit/copy.ts";
import { html } from "../../kit/html.ts";
import { currentKey } from "../../kit/key.ts";
import { t } from "../../kit/words.ts";
import { Tabs } from "./tabs.ts";
import type { Tool } from "./tool-pages.ts";

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

export interface CallToCopy {
  /** Of the hub, with a slash at its end. */
  readonly base: string;
  /** Whether the hub asks for a key; it is never shown itself. */
  readonly withKey: boolean;
  readonly server: string;
  readonly tool: string;
  readonly args: unknown;
}

type Place = Pick<CallToCopy, "base" | "withKey">;

/** To be replaced by whoever pastes it. */
const KEY_PLACEHOLDER = "YOUR_KEY";

const LONGEST_LINE = 100;

export function curlOf(call: CallToCopy): string {
  const { base, withKey } = call;
  const lines = [
    `curl ${shellQuoted(`${base}mcp`)}`,
    `-H ${shellQuoted("Content-Type: application/json")}`,
    ...(withKey ? [`-H ${shellQuoted(`Authorization: Bearer ${KEY_PLACEHOLDER}`)}`] : []),
    `--data-raw ${shellQuoted(bodyOf(call))}`,
  ];
  return lines.join(" \\\n  ");
}

/** On one line as long as that can be read. */
function bodyOf(call: CallToCopy): string {
  const line = JSON.stringify(requestOf(call));
  return line.length <= LONGEST_LINE ? line : jsonRpcOf(call);
}

export function jsonRpcOf(call: CallToCopy): string {
  return JSON.stringify(requestOf(call), null, 2);
}

/** All tools of the hub. */
export function clientConfigOf(place: Place): string {
  return configOf("zaguan", `${place.base}mcp`, place.withKey);
}

/** The tools of one server, under their own names. */
export function oneServerConfigOf(place: Place, server: string): string {
  return configOf(
    `zaguan-${server}`,
    `${place.base}servers/${encodeURIComponent(server.toWellFormed())}/mcp`,
    place.withKey,
  );
}

/** For `sh`, as one word: nothing in it means anything. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Under the name that is right whatever other servers call theirs. */
function requestOf({ server, tool, args }: CallToCopy): object {
  const params = { name: `${server}__${tool}`, arguments: args };
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params };
}

function configOf(name: string, url: string, withKey: boolean): string {
  const headers = withKey ? { headers: { Authorization: `Bearer ${KEY_PLACEHOLDER}` } } : {};
  return JSON.stringify({ mcpServers: { [name]: { url, ...headers } } }, null, 2);
}
