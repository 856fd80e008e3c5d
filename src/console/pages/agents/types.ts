/** What `/agents`, `/keys` and `/mcp/tools` say, as far as these pages read it. */
import type { BindingConfig } from "../../../store/registry.ts";

export const AUTONOMIES = ["Manual", "Supervised", "Auto"] as const;
export type Autonomy = (typeof AUTONOMIES)[number];

export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly systemPrompt: string | null;
  readonly autonomy: Autonomy;
  readonly createdUtc: string;
}

/** A tool as the registry has it. */
export interface KnownTool {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly serverName: string;
  readonly inputSchema?: unknown;
  readonly missing?: boolean | undefined;
  readonly quarantine?: string | undefined;
}

export interface Binding {
  readonly id: string;
  readonly toolId: string;
  readonly config: BindingConfig | null;
  readonly enabled: boolean;
}

export interface BoundTool extends Binding {
  readonly tool: KnownTool;
}

/** A tool as an MCP client gets it. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly [member: string]: unknown;
}

export interface Key {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly admin: boolean;
  /** Null: every tool, or for an agent's key what the agent is linked to. */
  readonly allow: readonly string[] | null;
  readonly agentId: string | null;
  readonly createdUtc: string;
  readonly lastUsedUtc: string | null;
}

/** The only time that a key is said. */
export interface MadeKey {
  readonly key: string;
  readonly hint: string;
}
