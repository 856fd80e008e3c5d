/**
 * The contract of those who answer the stateless revisions, on whatever carries them: every request stands for itself.
 * A carrier hands in the request with its circumstances and sends what comes back.
 */
import type { Principal } from "../../../core/call.ts";
import type { Language } from "../../../messages/catalogue.ts";
import type { RpcCall } from "../../../protocol/json-rpc/message.ts";
import type { StopSignal } from "../../../stop.ts";

export type StatelessRequest = RpcCall & { readonly id: string };

/** What belongs to one request. */
export interface StatelessContext {
  readonly principal: Principal;
  readonly language: Language;
  /** Aborted when the client left or cancelled. */
  readonly signal: StopSignal;
  /** Takes messages that belong to this request, before its answer. */
  notify(message: string): void;
  /** Where the carrier has headers: what a tool wants repeated there is checked. */
  header?(name: string): string | undefined;
}

export interface StatelessFace {
  /** Whether a source's errors are told as it sent them. */
  readonly untouched: boolean;
  /** Resolves with the text of the result; rejects with the failure. `subscriptions/listen` may take as long as its client stays. */
  answer(call: StatelessRequest, context: StatelessContext): Promise<string>;
  /** Those who listen are told that nothing more will come. */
  close(): void;
}
