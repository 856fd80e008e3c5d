/** What the hub's endpoints for servers take and give (`/openapi.json`), as far as this page uses it. */
import type { SourceState } from "../../../core/events.ts";

export type Origin = "registered" | "configured" | "built-in" | "api" | "device";

/** `GET /mcp/servers`. */
export interface ServerRecord {
  readonly id: string;
  /** Here the slug, by which the hub's live word knows it too; `keptRecord` sees to it. */
  readonly name: string;
  /** Its name for people. */
  readonly title: string;
  readonly description: string | null;
  readonly status: "active" | "error" | "disabled";
  readonly baseUrl: string | null;
  readonly transport: string | null;
  readonly lastSeenUtc: string | null;
  readonly lastError: string | null;
  readonly progress: string | null;
  readonly authType: AuthType;
  readonly origin: Origin;
  readonly command: string | null;
  readonly createdUtc: string;
  readonly updatedUtc: string;
  readonly kind: string;
  readonly state: SourceState;
  readonly tools: number;
  readonly restarts: number;
  readonly revision: string | null;
  readonly log: readonly string[];
}

/** As the hub gives it. */
export type GivenRecord = Omit<ServerRecord, "title"> & { readonly slug: string };

export function keptRecord({ slug, ...record }: GivenRecord): ServerRecord {
  return { ...record, name: slug, title: record.name };
}

export type AuthType = "none" | "apikey" | "oauth";

/** `POST /mcp/servers`, and its preview. */
export interface NewServer {
  readonly name: string;
  readonly baseUrl?: string | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly authType?: AuthType | undefined;
  readonly credentials?: string | Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Step {
  readonly attempt: number;
  readonly atMs: number;
  readonly transport: string;
  readonly outcome: string;
}

/** `POST /mcp/servers/preview`. */
export interface ServerPreview {
  readonly ok: boolean;
  readonly nameTaken: boolean;
  readonly transport: string | null;
  readonly revision: string | null;
  readonly serverInfo: { readonly name?: unknown; readonly title?: unknown; readonly version?: unknown } | null;
  readonly tools: readonly ShownTool[];
  readonly steps: readonly Step[];
  readonly ms: number;
  readonly error: string | null;
}

export interface ShownTool {
  readonly name: string;
  readonly description?: string | undefined;
}

/** `GET /mcp/servers/{id}/discovery`. */
export interface Discovery {
  readonly startedUtc: string;
  readonly ms: number;
  readonly ok: boolean;
  readonly tools?: number | undefined;
  readonly error?: string | undefined;
  readonly steps: readonly Step[];
}
