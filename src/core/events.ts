/** Everything that happens in the hub and that somebody may want to watch, as one union. The core only emits. */
import type { SourceState } from "../contract/rules.ts";
import type { ErrorCode } from "../errors.ts";
import type { Language } from "../messages/catalogue.ts";
import type { Call } from "./call.ts";

/** How people are shown the sources of a kind. */
export interface KindLook {
  readonly title: Readonly<Record<Language, string>>;
  /** The path of an SVG of 24 by 24, of which the outline is drawn. */
  readonly icon: string;
}

export type HubEvent =
  | { readonly type: "call-started"; readonly call: Call }
  | {
      readonly type: "call-ended";
      readonly call: Call;
      readonly ms: number;
      readonly attempts: number;
      readonly cached: boolean;
      readonly error?: ErrorCode | undefined;
    }
  | { readonly type: "call-retried"; readonly call: Call; readonly attempt: number; readonly delayMs: number }
  | {
      readonly type: "source-state";
      readonly source: string;
      readonly state: SourceState;
      readonly reason?: string | undefined;
      readonly restarts: number;
      readonly nextTryMs?: number | undefined;
    }
  /** It stopped answering though it seems to be there, or answers again. */
  | { readonly type: "source-silent"; readonly source: string; readonly isSilent: boolean }
  | { readonly type: "source-noise"; readonly source: string; readonly line: string }
  /** Something about it that its owner should mend. */
  | { readonly type: "source-warning"; readonly source: string; readonly line: string }
  | { readonly type: "tools-changed"; readonly source: string; readonly count: number }
  | { readonly type: "name-clash"; readonly tool: string; readonly keeper: string; readonly renamed: string }
  | {
      readonly type: "config-reloaded";
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
    }
  | { readonly type: "config-refused"; readonly reason: string }
  | { readonly type: "internal-error"; readonly reference: string; readonly cause: unknown };

export type { SourceState };

export type Emit = (event: HubEvent) => void;
