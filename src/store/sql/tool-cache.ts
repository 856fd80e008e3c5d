/**
 * The tools that servers list now, held in memory, so that a search reads no database. The database has the last word at
 * every look: its version tells whether anything changed, and the time of each server what did.
 */
import { foldedWords, type ToolRecord } from "../registry.ts";

export interface CachedTool {
  readonly record: ToolRecord;
  /** What is searched, with its case folded. */
  readonly search: string;
}

export interface ServerStamp {
  readonly id: string;
  /** No two states of a server, its name and its tools included, have the same. */
  readonly updatedUtc: string;
}

/** What stands in the database at this moment. */
export interface ToolFile {
  /** Grows with every change of any server or tool. */
  version(): Promise<number>;
  /** In the order in which their tools are listed. */
  servers(): Promise<readonly ServerStamp[]>;
  server(id: string): Promise<ServerStamp | undefined>;
  /** Those that the server lists now, in the order of its list. */
  toolsOf(serverId: string): Promise<readonly CachedTool[]>;
}

/** Ten thousand tools with a few arguments each have five million. */
const MOST_CHARACTERS = 32_000_000;

interface CachedServer {
  readonly updatedUtc: string;
  readonly tools: readonly CachedTool[];
}

export class ToolCache {
  readonly #file: ToolFile;
  readonly #mostCharacters: number;
  /** Undefined if there are too many tools to be held. */
  #servers: ReadonlyMap<string, CachedServer> | undefined = new Map();
  /** Those of all servers, as they were at `#version`. */
  #all: readonly CachedTool[] = [];
  #version: number | undefined;
  /** How many readings were begun, and which of them is held now. */
  #begun = 0;
  #kept = 0;
  /** A reading that is under way, which others who want the same version wait for. */
  #reading: { readonly version: number; readonly done: Promise<void> } | undefined;

  constructor(file: ToolFile, mostCharacters: number = MOST_CHARACTERS) {
    this.#file = file;
    this.#mostCharacters = mostCharacters;
  }

  /** Those in whose name or description every word stands; undefined if the database must be asked for them. */
  async find(serverId: string | undefined, search: string | undefined): Promise<readonly ToolRecord[] | undefined> {
    const tools = await (serverId === undefined ? this.#ofAll() : this.#ofOne(serverId));
    return tools && matching(tools, foldedWords(search ?? ""));
  }

  async #ofAll(): Promise<readonly CachedTool[] | undefined> {
    if (!this.#servers) return undefined;
    // Read before the rest: what changes meanwhile is noticed the next time.
    const version = await this.#file.version();
    if (version !== this.#version) await this.#renewed(version);
    return this.#servers && this.#all;
  }

  /** What is read here is not kept, so that a server which comes and goes leaves nothing behind. */
  async #ofOne(serverId: string): Promise<readonly CachedTool[] | undefined> {
    if (!this.#servers) return undefined;
    const server = await this.#file.server(serverId);
    return server ? (await this.#shelfOf(server, this.#servers ?? new Map())).tools : [];
  }

  async #renewed(version: number): Promise<void> {
    if (this.#reading?.version !== version) this.#reading = { version, done: this.#renew(version) };
    const { done } = this.#reading;
    try {
      await done;
    } finally {
      if (this.#reading?.done === done) this.#reading = undefined;
    }
  }

  /** Of two readings that overlap, the one that was begun later stays. */
  async #renew(version: number): Promise<void> {
    const begun = ++this.#begun;
    const servers = this.#servers && (await this.#read(this.#servers));
    if (begun < this.#kept) return;
    this.#kept = begun;
    this.#servers = servers;
    this.#all = [...(servers?.values() ?? [])].flatMap(({ tools }) => tools);
    this.#version = version;
  }

  /** Undefined once there are too many, until the next start: whether there is room again shows only if all are read. */
  async #read(before: ReadonlyMap<string, CachedServer>): Promise<ReadonlyMap<string, CachedServer> | undefined> {
    const servers = new Map<string, CachedServer>();
    let characters = 0;
    for (const server of await this.#file.servers()) {
      const shelf = await this.#shelfOf(server, before);
      for (const tool of shelf.tools) characters += charactersOf(tool);
      if (characters > this.#mostCharacters) return undefined;
      servers.set(server.id, shelf);
    }
    return servers;
  }

  async #shelfOf({ id, updatedUtc }: ServerStamp, known: ReadonlyMap<string, CachedServer>): Promise<CachedServer> {
    const shelf = known.get(id);
    return shelf?.updatedUtc === updatedUtc ? shelf : { updatedUtc, tools: await this.#file.toolsOf(id) };
  }
}

function charactersOf({ record: { definition, description }, search }: CachedTool): number {
  return definition.length + description.length + search.length;
}

/** Loops, since they pass over every tool: this is what a search costs. */
function matching(tools: readonly CachedTool[], words: readonly string[]): readonly ToolRecord[] {
  const found: ToolRecord[] = [];
  for (const { record, search } of tools) if (hasAll(search, words)) found.push(record);
  return found;
}

function hasAll(text: string, words: readonly string[]): boolean {
  for (const word of words) if (!text.includes(word)) return false;
  return true;
}
