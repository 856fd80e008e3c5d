/**
 * The registry's borders: what doors see of it, and what it asks of the rest of the hub. The composition root gives the real
 * things, tests give stand-ins.
 */
import type { ServerConfig } from "../config/types.ts";
import type { ToolDefinition } from "../core/call.ts";
import type { CancelSignal } from "../light-abort.ts";
import type { RegistryTables } from "../store/registry.ts";
import type { Agents } from "./agents.ts";
import type { Keys } from "./keys.ts";
import type { Previews } from "./preview.ts";
import type { ServerRegistry } from "./servers.ts";

/** The hub, as far as the registry puts servers into it. */
export interface Attachments {
  /** Brings a server under the hub with what is known of it, in the place of the one of that name if there is one. */
  attach(name: string, server: ServerConfig, tools: readonly ToolDefinition[]): Promise<void>;
  detach(name: string): Promise<void>;
  /** Whether there is one of this name, wherever it comes from and whichever node has it. */
  has(name: string): boolean;
  /** Resolves when it is up again, or could not be brought up; rejects if the hub has none of that name. */
  restart(name: string): Promise<void>;
  /** The hub's own list is this from now on, until the server says otherwise. */
  learned(name: string, tools: readonly ToolDefinition[]): Promise<void>;
  /** Tells clients that what they may use has changed. */
  announce(): void;
}

/** One try to reach a server and to list its tools. */
export interface Prober {
  /**
   * Rejects with a ZaguanError; `onStep` is told of each way that was tried. Without a configuration the source of that
   * name is asked as the hub has it.
   */
  probe(name: string, server: ServerConfig | undefined, signal: CancelSignal, onStep: OnStep): Promise<Probed>;
}

export type OnStep = (transport: string, outcome: string) => void;

export interface Probed {
  readonly tools: readonly ToolDefinition[];
  /** How it was reached, in words for people. */
  readonly transport: string;
  /** Of MCP; undefined where it speaks another language. */
  readonly revision?: string | undefined;
  /** Who it says it is. */
  readonly serverInfo?: Readonly<Record<string, unknown>> | undefined;
}

/** What the configuration says of registering; read at every use. */
export interface RegistryRules {
  /** Any private address may be registered. */
  readonly allowPrivate: boolean;
  /** Commands that an administrator may register over HTTP. */
  readonly allowedCommands: readonly string[];
  /** For one discovery, all its attempts included. */
  readonly discoveryMs: number;
}

/** The registry as doors see it. */
export interface Registry {
  readonly servers: ServerRegistry;
  readonly previews: Previews;
  readonly agents: Agents;
  readonly keys: Keys;
  /** For reading lists; what changes something goes through those above. */
  readonly tables: RegistryTables;
}
