/** A server in words: its state (and in a colour), its kind, its revision of MCP, how many tools it has. */
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { Kind } from "../../../contract/kind.ts";
import type { SourceState } from "../../../core/events.ts";
import { rest } from "../../kit/api.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { Icon } from "../../kit/icon.ts";
import { servers } from "../../kit/live.ts";
import { Badge, STATE_TONES } from "../../kit/parts.ts";
import { Store, useStore } from "../../kit/store.ts";
import { useLoad } from "../../kit/use-load.ts";
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

/** How servers of each kind are shown; asked for with the page. */
const kinds = new Store<ReadonlyMap<string, Kind>>(new Map());

/** Asks for those of all servers, and again when there is one of another kind. */
export function useKinds(): void {
  const seen = useStore(servers, (all) => [...new Set(all.map(({ kind }) => kind))].join());
  const { value } = useLoad((signal) => rest.listKinds({}, signal), [seen]);
  useEffect(() => {
    if (value) kinds.set(new Map(value.map((one) => [one.kind, one])));
  }, [value]);
  useStore(kinds);
}

export function kindText(kind: string): string {
  return kinds.get().get(kind)?.title ?? kind;
}

export function KindIcon({ kind }: { kind: string }): VNode | null {
  const icon = kinds.get().get(kind)?.icon;
  return icon === undefined ? null : html`<${Icon} path=${icon} />`;
}

export function toolsText(count: number): string {
  return count === 1 ? t("servers.tools.one") : t("servers.tools.many", { count: number(count) });
}
