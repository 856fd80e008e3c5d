/**
 * All tools by public name. A tool keeps its own name; when two sources offer the same one, the source registered first
 * keeps it and the other is listed as `server__name`, which always works in a call. A name that somebody has read stays
 * with its source until that is removed: nobody's next call may reach another tool than the last one did. While a source
 * is away, its names are kept from all who were there with it; one that comes later may take them.
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

/** A name that two sources claim. */
export interface NameClash {
  readonly tool: string;
  /** The source that has the name. */
  readonly keeper: string;
  /** What the other's tool is called therefore. */
  readonly renamed: string;
}

/** Tools, or anything else that is found by name. */
export class Catalogue<D extends { readonly name: string } = ToolDefinition> {
  readonly #emit: Emit;
  /** In order of registration; undefined until the source has listed its tools. */
  readonly #sources = new Map<string, readonly D[] | undefined>();
  /** Who has each name that was read, though it may offer nothing at the moment. */
  readonly #keepers = new Map<string, string>();
  /** When each source came, and when those that are away left, counted in comings. */
  readonly #cameAt = new Map<string, number>();
  readonly #leftAt = new Map<string, number>();
  #comings = 0;
  readonly #isSettled: () => boolean;
  /** Whether the names of the view are given for good. */
  #isGiven = false;
  #view: View<D> | undefined;
  /** The clashes of the list as it last was, by the name that somebody was given instead: who keeps the other. */
  #clashes: ReadonlyMap<string, string> = new Map();
  /** Grows with every change; what is derived from an older version is stale. */
  version = 0;

  /** `isSettled` is false while sources that are asked for the first time have a little time left. */
  constructor(emit: Emit, isSettled: () => boolean = () => true) {
    this.#emit = emit;
    this.#isSettled = isSettled;
  }

  /** Takes the source's place in the order, before its tools are known. */
  register(source: string): void {
    if (this.#sources.has(source)) return;
    this.#sources.set(source, undefined);
    this.#cameAt.set(source, ++this.#comings);
    this.#leftAt.delete(source);
  }

  /** Tells whether anything changed. */
  setTools(source: string, tools: readonly D[]): boolean {
    const before = this.#sources.get(source);
    const unique = [...new Map(tools.map((tool) => [tool.name, tool])).values()];
    if (before && sameTools(before, unique)) return false;
    this.register(source);
    this.#sources.set(source, unique);
    this.#changed();
    return true;
  }

  /** Its names are free again; those of one that is only away are not, for those that are here. */
  remove(source: string, isAway = false): boolean {
    const had = this.#sources.get(source) !== undefined;
    this.#sources.delete(source);
    this.#cameAt.delete(source);
    if (isAway) this.#leftAt.set(source, this.#comings);
    else for (const [name, keeper] of this.#keepers) if (keeper === source) this.#keepers.delete(name);
    if (had) this.#changed();
    return had;
  }

  toolsOf(source: string): readonly D[] {
    return this.#sources.get(source) ?? [];
  }

  /** Whether it is here and has said what it offers. */
  hasListed(source: string): boolean {
    return this.#sources.get(source) !== undefined;
  }

  /** What the tool of a source that is away is called, as by the rule for those that are here. */
  nameWhileAway(source: string, tool: string): string {
    const keeper = this.find(tool)?.source ?? this.#keepers.get(tool) ?? source;
    if (keeper !== source) return `${source}__${tool}`;
    if (!this.#sources.has(source) && !this.#leftAt.has(source)) this.#leftAt.set(source, this.#comings);
    this.#keepers.set(tool, source);
    return tool;
  }

  entries(): readonly CatalogueEntry<D>[] {
    return this.#current().list;
  }

  find(name: string): CatalogueEntry<D> | undefined {
    return this.#current().byName.get(name);
  }

  /** For who calls: the name stays with its source. Undefined also while one registered before may still claim it. */
  called(name: string): CatalogueEntry<D> | undefined {
    const entry = this.find(name);
    if (!entry || this.#isGiven || entry.tool.name !== name) return entry;
    if (this.#keepers.get(name) !== entry.source && this.#isOpen(entry)) return undefined;
    this.#keepers.set(name, entry.source);
    return entry;
  }

  /** Every name that two sources claim, in the order of the list. */
  clashes(): readonly NameClash[] {
    const { byName } = this.#current();
    return [...this.#clashes].map(([renamed, keeper]) => ({
      tool: byName.get(renamed)?.tool.name ?? renamed,
      keeper,
      renamed,
    }));
  }

  /** The public name of a source's tool where it is not the tool's own, because another has the older right to that. */
  renamed(source: string, tool: string): string | undefined {
    this.#current();
    if (this.#clashes.size === 0) return undefined;
    const qualified = `${source}__${tool}`;
    return this.#clashes.has(qualified) ? qualified : undefined;
  }

  /** Whether one that was registered before has not said what it offers. */
  #isOpen({ source }: CatalogueEntry<D>): boolean {
    for (const [name, tools] of this.#sources) {
      if (name === source) return false;
      if (tools === undefined) return true;
    }
    return false;
  }

  #changed(): void {
    this.#view = undefined;
    this.#isGiven = false;
    this.version++;
  }

  #current(): View<D> {
    this.#view ??= this.#build();
    if (!this.#isGiven && this.#isSettled()) this.#give(this.#view);
    return this.#view;
  }

  #give({ list }: View<D>): void {
    this.#isGiven = true;
    if (this.#keepers.size + this.#leftAt.size > MOST_KEPT)
      for (const kept of [this.#keepers, this.#leftAt]) kept.clear();
    for (const { source, publicName, tool } of list) {
      if (publicName === tool.name) this.#keepers.set(publicName, source);
    }
  }

  /** Qualified names are claimed first: `server__name` must work even if somebody's tool bears that very name. */
  #build(): View<D> {
    const clashes = new Clashes();
    const list = this.#qualified();
    const byName = new Map<string, CatalogueEntry<D>>();
    for (const entry of list) byName.set(entry.publicName, entry);
    for (const entry of list) {
      const { source, tool, publicName: renamed } = entry;
      const keeper = byName.get(tool.name)?.source ?? this.#keeperFor(source, tool.name);
      if (keeper !== source || byName.has(tool.name)) {
        this.#noteClash(clashes, { tool: tool.name, keeper, source, renamed });
        continue;
      }
      entry.publicName = tool.name;
      byName.set(tool.name, entry);
    }
    this.#clashes = clashes.all;
    return { list, byName };
  }

  /** Who has the name already, or this source. */
  #keeperFor(source: string, name: string): string {
    const keeper = this.#keepers.get(name) ?? source;
    const leftAt = this.#leftAt.get(keeper);
    return leftAt !== undefined && (this.#cameAt.get(source) ?? 0) > leftAt ? source : keeper;
  }

  #qualified(): Named<D>[] {
    return [...this.#sources].flatMap(([source, tools = []]) =>
      tools.map((tool) => ({ source, publicName: `${source}__${tool.name}`, tool })),
    );
  }

  /** Of two sources that share many names, the first is told for all. */
  #noteClash(clashes: Clashes, { tool, keeper, source, renamed }: Clash): void {
    clashes.all.set(renamed, keeper);
    if (this.#clashes.get(renamed) === keeper || clashes.told.size >= MOST_TOLD) return;
    const pair = `${keeper} ${source}`;
    if (clashes.told.has(pair)) return;
    clashes.told.add(pair);
    this.#emit({ type: "name-clash", tool, keeper, renamed });
  }
}

/** Of names, those that nobody offers any more included: a source may think of new ones for ever. */
const MOST_KEPT = 200_000;

/** Of one list: thousands of boxes of one make all share their names, and nobody would read that of each. */
const MOST_TOLD = 20;

interface Clash extends NameClash {
  readonly source: string;
}

/** The clashes of a list while it is made. */
class Clashes {
  /** By the name that somebody was given instead: who keeps the other. */
  readonly all = new Map<string, string>();
  /** Pairs of sources of which one was told. */
  readonly told = new Set<string>();
}

/** While its name is found. */
type Named<D> = { -readonly [Key in keyof CatalogueEntry<D>]: CatalogueEntry<D>[Key] };

interface View<D> {
  readonly list: readonly CatalogueEntry<D>[];
  readonly byName: ReadonlyMap<string, CatalogueEntry<D>>;
}

function sameTools(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.length === after.length && JSON.stringify(before) === JSON.stringify(after);
}
