/** REST APIs that somebody described or imported: what doors and commands ask of them. */
import type {
  ImportChange,
  ImportedApi,
  ImportPreview,
  NewImport,
  Refreshed,
  RefreshInput,
  ShownOperation,
} from "../contract/api.ts";
import type { Principal } from "../core/call.ts";
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
