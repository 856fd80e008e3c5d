/** What a server was asked to do: under way, or what came of it. */
import type { VNode } from "preact";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { ProblemBox } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { toolsText } from "./row.ts";
import { Waiting } from "./waiting.ts";
import { type Outcome, type Work, works } from "./work.ts";

export function useWork(name: string): Work | undefined {
  return useStore(works, (all) => all.get(name));
}

export function WorkView({ work }: { work: Work | undefined }): VNode | null {
  if (!work) return null;
  const { kind, since, outcome } = work;
  return outcome
    ? html`<${OutcomeView} outcome=${outcome} />`
    : html`<${Waiting} label=${t(`servers.doing.${kind}`)} since=${since} />`;
}

function OutcomeView({ outcome }: { outcome: Outcome }): VNode {
  if (outcome.kind === "failed") return html`<${ProblemBox} problem=${outcome.problem} />`;
  const isGood = outcome.kind === "tools" || outcome.state === "ready";
  return html`<p class="servers-notice" role="status" data-tone=${isGood ? "good" : "warn"}>${outcomeText(outcome)}</p>`;
}

function outcomeText(outcome: Exclude<Outcome, { kind: "failed" }>): string {
  if (outcome.kind === "tools") return toolsOutcome(outcome.count, outcome.added, outcome.gone);
  if (outcome.state === "ready") return t("servers.restarted");
  const state = t(`servers.state.${outcome.state}`);
  return [t("servers.restarted.not", { state }), outcome.lastError].filter(Boolean).join(" ");
}

function toolsOutcome(count: number, added: readonly string[], gone: readonly string[]): string {
  if (added.length + gone.length === 0) return t("servers.found.same", { tools: toolsText(count) });
  const counts = { added: number(added.length), gone: number(gone.length) };
  const text = t("servers.found.changed", { tools: toolsText(count), ...counts });
  // Of a server that is new every tool is; that needs no list.
  return gone.length === 0 && added.length === count ? text : `${text} ${namesText(added, gone)}`;
}

const NAMED = 8;

function namesText(added: readonly string[], gone: readonly string[]): string {
  const signed = [...added.map((name) => `+ ${name}`), ...gone.map((name) => `− ${name}`)];
  return signed.slice(0, NAMED).join(", ") + (signed.length > NAMED ? ", …" : "");
}
