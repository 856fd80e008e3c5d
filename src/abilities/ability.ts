/** The contract of an ability of this machine: a few tools over one real program or device. Off until enabled. Types only. */
import type { Principal } from "../core/call.ts";
import type { Clock } from "../core/ports.ts";
import type { DocumentTable } from "../store/store.ts";
import type { AnyUserTool } from "../user-tools/tool.ts";

/** Who ordered a later call, as it is stored: enough to find this principal again when the call is due, and to count by. */
export type Starter = Pick<Principal, "id" | "credential" | "account">;

export interface Order {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly principal: Principal;
}

export interface AbilityContext {
  readonly clock: Clock;
  /** Small JSON documents; `ability:<name>` is its own collection. */
  readonly documents: DocumentTable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves when every source is attached after a start; before that, a tool that there is may be unknown. */
  readonly attached: Promise<void>;
  /** Somebody of earlier with the rights of now; undefined where the key is revoked, or the agent or endpoint is gone. */
  principalOf(starter: Starter): Promise<Principal | undefined>;
  /** Rejects with a ZaguanError if this principal may not call the tool, or not with these arguments. Calls nothing. */
  check(order: Order): Promise<void>;
  /** Calls a tool of the hub as this principal. Rejects with a ZaguanError; resolves with the text of what it answered. */
  call(order: Order): Promise<string>;
  /** One line for the log of its source. */
  log(line: string): void;
}

export interface OpenAbility {
  readonly tools: readonly AnyUserTool[];
  /** Ends programs, timers and open devices. */
  close(): Promise<void>;
}

export interface Ability<Settings> {
  /** As in the configuration: "infrared". */
  readonly name: string;
  /** Must not fail because a program or device is missing: its tools say so when they are called. */
  open(settings: Settings, context: AbilityContext): Promise<OpenAbility>;
}
