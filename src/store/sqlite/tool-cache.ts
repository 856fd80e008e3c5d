/**
 * The tools that servers list now, held in memory, so that a search reads no file. The file has the last word at every
 * look: its version tells whether anything changed, and the time of each server what did.
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

/** What stands in the file at this moment. */
export interface ToolFile {
  /** Grows with every change of any server or tool. */
  version(): number;
  /** In the order in which their tools are listed. */
  servers(): readonly ServerStamp[];
  server(id: string): ServerStamp | undefined;
  /** Those that the server lists now, in the order of its list. */
  toolsOf(serverId: string): readonly CachedTool[];
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

  constructor(file: ToolFile, mostCharacters: number = MOST_CHARACTERS) {
    this.#file = file;
    this.#mostCharacters = mostCharacters;
  }

  /** Those in whose name or description every word stands; undefined if the file must be asked for them. */
  find(serverId: string | undefined, search: string | undefined): readonly ToolRecord[] | undefined {
    const tools = serverId === undefined ? this.#ofAll() : this.#ofOne(serverId);
    return tools && matching(tools, foldedWords(search ?? ""));
  }

  #ofAll(): readonly CachedTool[] | undefined {
    if (!this.#servers) return undefined;
    // Read before the rest: what changes meanwhile is noticed the next time.
    const version = this.#file.version();
    if (version !== this.#version) this.#renew(version, this.#servers);
    return this.#servers && this.#all;
  }

  /** What is read here is not kept, so that a server which comes and goes leaves nothing behind. */
  #ofOne(serverId: string): readonly CachedTool[] | undefined {
    if (!this.#servers) return undefined;
    const server = this.#file.server(serverId);
    return server ? this.#shelfOf(server, this.#servers).tools : [];
  }

  #renew(version: number, before: ReadonlyMap<string, CachedServer>): void {
    this.#servers = this.#read(before);
    this.#all = [...(this.#servers?.values() ?? [])].flatMap(({ tools }) => tools);
    this.#version = version;
  }

  /** Undefined once there are too many, until the next start: whether there is room again shows only if all are read. */
  #read(before: ReadonlyMap<string, CachedServer>): ReadonlyMap<string, CachedServer> | undefined {
    const servers = new Map<string, CachedServer>();
    let characters = 0;
    for (const server of this.#file.servers()) {
      const shelf = this.#shelfOf(server, before);
      for (const tool of shelf.tools) characters += charactersOf(tool);
      if (characters > this.#mostCharacters) return undefined;
      servers.set(server.id, shelf);
    }
    return servers;
  }

  #shelfOf({ id, updatedUtc }: ServerStamp, known: ReadonlyMap<string, CachedServer>): CachedServer {
    const shelf = known.get(id);
    return shelf?.updatedUtc === updatedUtc ? shelf : { updatedUtc, tools: this.#file.toolsOf(id) };
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
