/** The contract of an ability of this machine: a few tools over one real program or device. Off until enabled. Types only. */
import type { Principal } from "../core/call.ts";
import type { Clock } from "../core/ports.ts";
import type { AnyOwnTool } from "../own/tool.ts";
import type { DocumentTable } from "../store/store.ts";

export interface AbilityContext {
  readonly clock: Clock;
  /** Small JSON documents; `ability:<name>` is its own collection. */
  readonly documents: DocumentTable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Calls a tool of the hub, as this machine's owner. Rejects with a ZaguanError; the text of what it answered. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  /** Whether somebody may call a tool, who would have it called for them. */
  mayCall(tool: string, principal: Principal | undefined): Promise<boolean>;
  /** One line for the log of its source. */
  log(line: string): void;
}

export interface OpenAbility {
  readonly tools: readonly AnyOwnTool[];
  /** Ends programs, timers and open devices. */
  close(): Promise<void>;
}

export interface Ability<Settings> {
  /** As in the configuration: "infrared". */
  readonly name: string;
  /** Must not fail because a program or device is missing: its tools say so when they are called. */
  open(settings: Settings, context: AbilityContext): Promise<OpenAbility>;
}
