/** REST APIs that somebody described or imported: what doors and commands ask of them. */
import type { Principal } from "../core/call.ts";
import type { OperationsDiff } from "../openapi/diff.ts";
import type { ReadScheme, Skipped } from "../openapi/security.ts";
import type { ApiAuth } from "../sources/api/operation.ts";
import type { KeptProvider, KeptTool, ProviderInput, ToolInput } from "./handsai/types.ts";

export interface Apis {
  readonly tools: DescribedTools;
  readonly providers: Providers;
  readonly imports: Imports;
}

/** Tools described one by one, and those of providers (seed 004). */
export interface DescribedTools {
  /** In the order in which they came. */
  list(): Promise<readonly KeptTool[]>;
  find(idOrCode: string): Promise<KeptTool>;
  create(input: ToolInput, principal: Principal): Promise<KeptTool>;
  /**
   * `anew` describes the tool as it is to be, knowing how it is. Secrets that it does not say stay, unless the tool moves
   * to another origin.
   */
  change(idOrCode: string, anew: (kept: KeptTool) => ToolInput, principal: Principal): Promise<KeptTool>;
  remove(idOrCode: string): Promise<void>;
  /** Asks the API now, in a way that changes nothing there. */
  validate(idOrCode: string): Promise<KeptTool>;
  /** There is such a tool, but it is not enabled. */
  isOff(code: string): Promise<boolean>;
}

export interface Providers {
  /** All or none. Known codes are changed, and their tools by theirs; tools that are not named stay. */
  importAll(providers: readonly ProviderInput[], principal: Principal): Promise<readonly KeptProvider[]>;
  /** A tool by itself is a provider of one tool. Without codes: all. Tools that are not to be exported are left out. */
  exportAll(codes: readonly string[] | undefined): Promise<readonly KeptProvider[]>;
}

/** Credentials for one scheme, or by the names of schemes. */
export type GivenAuth = ApiAuth | Readonly<Record<string, ApiAuth>>;

interface ImportSettings {
  /** Instead of the first server in the document. */
  readonly baseUrl?: string | undefined;
  /** Only operations with one of these. */
  readonly tags?: readonly string[] | undefined;
  /** Only these: "/pets", "/pets/*", "GET /pets". */
  readonly paths?: readonly string[] | undefined;
  readonly auth?: GivenAuth | undefined;
  /** Sent with every request; kept sealed. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly callsPerMinute?: number | undefined;
  readonly concurrency?: number | undefined;
}

export interface NewImport extends ImportSettings {
  /** @default made of the title */
  readonly name?: string | undefined;
  /** Where the document is; or else: */
  readonly url?: string | undefined;
  /** The document's text, JSON or YAML. */
  readonly document?: string | undefined;
}

/** What is absent stays; `tags` and `paths` count from the next refresh on. */
export interface ImportChange extends Omit<ImportSettings, "callsPerMinute" | "concurrency"> {
  /** Null takes the limit away. */
  readonly callsPerMinute?: number | null | undefined;
  readonly concurrency?: number | null | undefined;
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
}

export interface ShownOperation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly description: string;
}

export interface ImportPreview {
  readonly name: string;
  readonly title: string;
  readonly baseUrl: string | null;
  readonly servers: readonly string[];
  /** Of the whole document, for choosing. */
  readonly tags: readonly string[];
  readonly schemes: readonly ReadScheme[];
  readonly operations: readonly ShownOperation[];
  /** What could not be read, and why. */
  readonly skipped: readonly Skipped[];
}

export interface ImportedApi {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly url: string | null;
  readonly baseUrl: string;
  readonly enabled: boolean;
  readonly tags: readonly string[];
  readonly paths: readonly string[];
  /** `given`: there are credentials for it. */
  readonly schemes: readonly (ReadScheme & { readonly given: boolean })[];
  readonly headerNames: readonly string[];
  readonly callsPerMinute: number | null;
  readonly concurrency: number | null;
  readonly tools: number;
  readonly skipped: readonly Skipped[];
  readonly createdUtc: string;
  readonly updatedUtc: string;
}

export interface RefreshInput {
  /** Needed where it did not come from a URL. */
  readonly document?: string | undefined;
  /** Says what would change, and changes nothing. */
  readonly dryRun?: boolean | undefined;
}

export interface Refreshed {
  readonly api: ImportedApi;
  readonly changes: OperationsDiff;
  readonly skipped: readonly Skipped[];
}

/** APIs that came as OpenAPI documents. */
export interface Imports {
  list(): Promise<readonly ImportedApi[]>;
  find(idOrName: string): Promise<ImportedApi>;
  operations(idOrName: string): Promise<readonly ShownOperation[]>;
  preview(input: NewImport, principal: Principal): Promise<ImportPreview>;
  create(input: NewImport, principal: Principal): Promise<ImportedApi>;
  change(idOrName: string, change: ImportChange, principal: Principal): Promise<ImportedApi>;
  /** Tools keep their ids and links. */
  refresh(idOrName: string, input: RefreshInput, principal: Principal): Promise<Refreshed>;
  remove(idOrName: string): Promise<void>;
}
