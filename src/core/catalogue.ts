/**
 * All tools by public name. A tool keeps its own name; when two sources offer the same one, the source registered first
 * keeps it and the other is listed as `server__name`, which always works in a call.
 */
import type { ToolDefinition } from "./call.ts";
import type { Emit } from "./events.ts";

export interface CatalogueEntry<D = ToolDefinition> {
  readonly source: string;
  /** The name under which it is listed. */
  readonly publicName: string;
  /** As the source defined it, with the source's own name. */
  readonly tool: D;
}

/** Tools, or anything else that is found by name. */
export class Catalogue<D extends { readonly name: string } = ToolDefinition> {
  readonly #emit: Emit;
  /** In order of registration; undefined until the source has listed its tools. */
  readonly #sources = new Map<string, readonly D[] | undefined>();
  #view: View<D> | undefined;
  /** The clashes of the list as it was; only new ones are told. */
  #clashes: ReadonlySet<string> = new Set();
  /** Grows with every change; what is derived from an older version is stale. */
  version = 0;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** Takes the source's place in the order, before its tools are known. */
  register(source: string): void {
    if (!this.#sources.has(source)) this.#sources.set(source, undefined);
  }

  /** Tells whether anything changed. */
  setTools(source: string, tools: readonly D[]): boolean {
    const before = this.#sources.get(source);
    const unique = [...new Map(tools.map((tool) => [tool.name, tool])).values()];
    if (before && sameTools(before, unique)) return false;
    this.#sources.set(source, unique);
    this.#changed();
    return true;
  }

  remove(source: string): boolean {
    const had = this.#sources.get(source) !== undefined;
    this.#sources.delete(source);
    if (had) this.#changed();
    return had;
  }

  toolsOf(source: string): readonly D[] {
    return this.#sources.get(source) ?? [];
  }

  entries(): readonly CatalogueEntry<D>[] {
    return this.#current().list;
  }

  find(name: string): CatalogueEntry<D> | undefined {
    return this.#current().byName.get(name);
  }

  #changed(): void {
    this.#view = undefined;
    this.version++;
  }

  #current(): View<D> {
    this.#view ??= this.#build();
    return this.#view;
  }

  /** Qualified names are claimed first: `server__name` must work even if somebody's tool bears that very name. */
  #build(): View<D> {
    const owners = this.#claimQualified();
    const clashes = new Clashes();
    const list: CatalogueEntry<D>[] = [];
    const byName = new Map<string, CatalogueEntry<D>>();
    for (const [source, tools] of this.#sources) {
      for (const tool of tools ?? []) {
        const qualified = `${source}__${tool.name}`;
        const keeper = owners.get(tool.name);
        if (keeper === undefined) owners.set(tool.name, source);
        else this.#noteClash(clashes, { tool: tool.name, keeper, source, renamed: qualified });
        const entry = { source, publicName: keeper === undefined ? tool.name : qualified, tool };
        list.push(entry);
        byName.set(qualified, entry);
        if (keeper === undefined) byName.set(tool.name, entry);
      }
    }
    this.#clashes = clashes.all;
    return { list, byName };
  }

  #claimQualified(): Map<string, string> {
    const owners = new Map<string, string>();
    for (const [source, tools] of this.#sources) {
      for (const tool of tools ?? []) owners.set(`${source}__${tool.name}`, source);
    }
    return owners;
  }

  /** Of two sources that share many names, the first is told for all. */
  #noteClash(clashes: Clashes, { tool, keeper, source, renamed }: Clash): void {
    const clash = `${keeper} ${renamed}`;
    const pair = `${keeper} ${source}`;
    const isNews = !this.#clashes.has(clash) && !clashes.told.has(pair);
    clashes.all.add(clash);
    if (!isNews) return;
    clashes.told.add(pair);
    this.#emit({ type: "name-clash", tool, keeper, renamed });
  }
}

interface Clash {
  readonly tool: string;
  readonly keeper: string;
  readonly source: string;
  readonly renamed: string;
}

/** The clashes of a list while it is made. */
class Clashes {
  readonly all = new Set<string>();
  /** Pairs of sources of which one was told. */
  readonly told = new Set<string>();
}

interface View<D> {
  readonly list: readonly CatalogueEntry<D>[];
  readonly byName: ReadonlyMap<string, CatalogueEntry<D>>;
}

function sameTools(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.length === after.length && JSON.stringify(before) === JSON.stringify(after);
}
