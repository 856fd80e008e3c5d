/**
 * The list of tools as far as it was looked at: a search replaces the one before, the end brings the next page, a change at
 * the hub renews what is there. Of each tool only what the list shows is kept: schemas are large.
 */
import type { Tool as RegistryTool } from "../../../contract/tool.ts";
import { type Page, type Problem, toProblem } from "../../kit/api.ts";
import { Store } from "../../kit/store.ts";
import { isSameQuery, type ToolsQuery } from "./list-query.ts";

export type ToolRow = Pick<
  RegistryTool,
  "id" | "name" | "serverName" | "serverSlug" | "description" | "publicName" | "missing" | "quarantine"
>;

/** A tool as the registry tells of it. */
export type Tool = ToolRow &
  Pick<RegistryTool, "title" | "inputSchemaJson"> &
  Partial<Pick<RegistryTool, "inputSchema">> & {
    /** What its server says of it, which need not be true. */
    readonly annotations?: ToolAnnotations | undefined;
  };

export interface ToolAnnotations {
  readonly title?: unknown;
  readonly readOnlyHint?: unknown;
  readonly destructiveHint?: unknown;
  readonly idempotentHint?: unknown;
  readonly openWorldHint?: unknown;
}

export interface ToolsFound {
  /** What the rows were looked for by. */
  readonly query: ToolsQuery;
  readonly rows: readonly ToolRow[];
  readonly total: number;
  readonly loading: boolean;
  readonly problem?: Problem | undefined;
}

type LoadPage = (query: ToolsQuery, offset: number, limit: number, signal: AbortSignal) => Promise<Page<ToolRow>>;

const PAGE_ROWS = 100;
/** The most that the hub gives at once. */
const MOST_ROWS = 1_000;
const LONGEST_DESCRIPTION = 300;

export class ToolPages {
  readonly found: Store<ToolsFound>;
  readonly #load: LoadPage;
  #query: ToolsQuery;
  #under: AbortController | undefined;

  constructor(load: LoadPage, query: ToolsQuery) {
    this.#load = load;
    this.#query = query;
    this.found = new Store<ToolsFound>({ query, rows: [], total: 0, loading: true });
  }

  /** What was under way for an earlier search is not waited for. */
  search(query: ToolsQuery): Promise<void> {
    this.#query = query;
    return this.#run(async (signal) => {
      const { rows, total } = await this.#load(query, 0, PAGE_ROWS, signal);
      return { query, rows: rows.map(short), total };
    });
  }

  /** The next page, if there is one and nothing else is under way. */
  async more(): Promise<void> {
    const { rows, total, loading, problem } = this.found.get();
    if (loading || problem || rows.length >= total) return;
    await this.#run(async (signal) => {
      const page = await this.#load(this.#query, rows.length, PAGE_ROWS, signal);
      // An empty page is the end, whatever was said before.
      const end = page.rows.length === 0 ? rows.length : page.total;
      return { query: this.#query, rows: withoutTwins([...rows, ...page.rows.map(short)]), total: end };
    });
  }

  /** As much as there was, anew; who is reading stays where they are. */
  renew(): Promise<void> {
    const { query, rows } = this.found.get();
    if (!isSameQuery(query, this.#query)) return this.search(this.#query);
    const wanted = Math.max(rows.length, PAGE_ROWS);
    return this.#run((signal) => this.#all(wanted, signal));
  }

  close(): void {
    this.#under?.abort();
  }

  async #all(wanted: number, signal: AbortSignal): Promise<Omit<ToolsFound, "loading">> {
    const query = this.#query;
    const rows: ToolRow[] = [];
    let total = 0;
    do {
      const page = await this.#load(query, rows.length, Math.min(MOST_ROWS, wanted - rows.length), signal);
      total = page.rows.length === 0 ? rows.length : page.total;
      rows.push(...page.rows.map(short));
    } while (rows.length < Math.min(wanted, total));
    return { query, rows: withoutTwins(rows), total };
  }

  async #run(work: (signal: AbortSignal) => Promise<Omit<ToolsFound, "loading">>): Promise<void> {
    this.#under?.abort();
    const under = new AbortController();
    this.#under = under;
    this.found.change((before) => ({ ...before, loading: true, problem: undefined }));
    try {
      const found = await work(under.signal);
      if (!under.signal.aborted) this.found.set({ ...found, loading: false });
    } catch (cause) {
      if (under.signal.aborted) return;
      this.found.change((before) => ({ ...before, loading: false, problem: toProblem(cause) }));
    }
  }
}

/** A list that changes between two pages may show one twice. */
function withoutTwins(rows: readonly ToolRow[]): readonly ToolRow[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

function short({ id, name, serverName, serverSlug, description, publicName, missing, quarantine }: ToolRow): ToolRow {
  const about = description.slice(0, LONGEST_DESCRIPTION);
  return { id, name, serverName, serverSlug, description: about, publicName, missing, quarantine };
}
