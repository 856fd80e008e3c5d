/** A server in words: its state (and in a colour), its kind, its revision of MCP, how many tools it has. */
import type { VNode } from "preact";
import type { SourceState } from "../../../core/events.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { Badge, STATE_TONES } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";

interface Known {
  readonly state: SourceState;
  readonly silent: boolean;
}

/** That it does not answer says more than that it seems to be there. */
export function StateBadge({ state, silent }: Known): VNode {
  const isSilent = silent && state === "ready";
  return html`<${Badge} tone=${isSilent ? "warn" : STATE_TONES[state]}>${t(isSilent ? "servers.state.silent" : `servers.state.${state}`)}</${Badge}>`;
}

export function stateMeaning({ state, silent }: Known): string {
  return silent && state === "ready" ? t("servers.meaning.silent") : t(`servers.meaning.${state}`);
}

/** What it speaks, and in which of the two eras of MCP that is. */
export function revisionText(revision: string | null): string | undefined {
  if (revision === null) return undefined;
  // Revisions are dates; the stateless era began with this one.
  return t(revision >= "2026-07-28" ? "servers.mcp.stateless" : "servers.mcp.handshake", { revision });
}

const KINDS = ["api", "device", "home-assistant", "house", "http", "line", "own", "stdio"] as const;

export function kindText(kind: string): string {
  const known = KINDS.find((one) => one === kind);
  return known ? t(`servers.kind.${known}`) : kind;
}

export function toolsText(count: number): string {
  return count === 1 ? t("servers.tools.one") : t("servers.tools.many", { count: number(count) });
}
