/**
 * What the registry keeps: servers, the tools they offer, agents, and which agent is linked to which tool. A contract like
 * `store.ts`: every write that resolved is durable, and what belongs together is written together.
 */
import type { BindingConfig, NewAgent } from "../contract/agent.ts";
import type { Discovery, Server } from "../contract/server.ts";

export interface RegistryTables {
  readonly servers: ServerTable;
  readonly tools: ToolTable;
  readonly agents: AgentTable;
  readonly bindings: BindingTable;
}

/** Where a server comes from: only registered ones can be changed here. One of an API is kept in `apis.ts`. */
export type ServerOrigin = Server["origin"];

/** What is said when a server is made. */
export interface NewServer {
  /** What stands in addresses and before `__`: a slug, unique among all servers without regard to case. */
  readonly name: string;
  /** Its name for people, where that is another. */
  readonly title?: string | undefined;
  /** What it is for. */
  readonly description?: string | undefined;
  readonly origin: ServerOrigin;
  readonly baseUrl?: string | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly authType: Server["authType"];
  /** Credentials, headers and environment, encrypted; opaque here. */
  readonly sealed?: string | undefined;
  /** Whoever registered it was allowed to name a private address. */
  readonly allowPrivate: boolean;
}

export interface ServerRecord extends NewServer {
  readonly id: string;
  readonly status: Server["status"];
  readonly transport?: string | undefined;
  readonly lastSeenUtc?: string | undefined;
  readonly lastError?: string | undefined;
  readonly createdUtc: string;
  /** Changes with anything that a client could see of it, its tools included. */
  readonly updatedUtc: string;
}

export type ServerChange = Partial<
  Pick<
    ServerRecord,
    | "name"
    | "title"
    | "description"
    | "origin"
    | "baseUrl"
    | "command"
    | "args"
    | "authType"
    | "sealed"
    | "allowPrivate"
    | "status"
    | "transport"
    | "lastSeenUtc"
    | "lastError"
  >
>;

export interface Page {
  /** @default 0 */
  readonly offset?: number | undefined;
  /** @default all */
  readonly limit?: number | undefined;
}

export interface ServerQuery extends Page {
  /** Words, all of which must stand in its names, description or address, without regard to case. `%` and `_` mean themselves. */
  readonly search?: string | undefined;
  readonly origin?: ServerOrigin | undefined;
}

export interface ServerTable {
  /** It is "active" then. Rejects with `NameTaken` if there is one of that name. */
  create(server: NewServer): Promise<ServerRecord>;
  get(id: string): Promise<ServerRecord | undefined>;
  /** Without regard to case. */
  findByName(name: string): Promise<ServerRecord | undefined>;
  /** The same by the name for people, where that is another; the oldest of several. */
  findByTitle(title: string): Promise<ServerRecord | undefined>;
  /** In the order of creation. */
  list(query?: ServerQuery): Promise<readonly ServerRecord[]>;
  count(query?: Omit<ServerQuery, keyof Page>): Promise<number>;
  /**
   * A member that is there and undefined is taken away, or left alone if every server has it. Writes nothing if all is so
   * already. Undefined if there is no such server; `NameTaken` as above.
   */
  change(id: string, change: ServerChange): Promise<ServerRecord | undefined>;
  /** With its tools, their bindings and its log. Tells whether there was one. */
  delete(id: string): Promise<boolean>;
  /** Keeps the last twenty of each server. One that was deleted meanwhile is no failure, and gets none. */
  log(id: string, entry: Discovery): Promise<void>;
  /** The newest first. */
  readLog(id: string): Promise<readonly Discovery[]>;
}

/** A tool as its server lists it. */
export interface FoundTool {
  /** Unique in its server. */
  readonly name: string;
  readonly description: string;
  readonly scope: string;
  /** The whole definition as JSON text, fields that we do not know included. */
  readonly definition: string;
  /** Why it is kept but not offered; undefined of a good one. */
  readonly quarantine?: string | undefined;
}

export interface ToolRecord extends FoundTool {
  readonly id: string;
  readonly serverId: string;
  readonly serverName: string;
  /** The server's name for people, where that is another. */
  readonly serverTitle?: string | undefined;
  /** The server did not list it the last time. It keeps its id and its links, and may come back. */
  readonly missing: boolean;
  readonly createdUtc: string;
  readonly updatedUtc: string;
}

export interface ToolQuery extends Page {
  readonly serverId?: string | undefined;
  /** Words, all of which must stand in name or description, without regard to case. `%` and `_` mean themselves. */
  readonly search?: string | undefined;
  /** @default false */
  readonly withMissing?: boolean | undefined;
}

/** What a new list of tools changed, by name; no name stands twice. */
export interface ToolSync {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly missing: readonly string[];
  /** Was missing; may have come back changed. */
  readonly returned: readonly string[];
}

export interface ToolTable {
  /**
   * Puts what a server lists now in the place of what it listed before, in one transaction: known names keep their ids, and
   * what is not listed is marked missing. Of several with one name the last counts. Touches the server's `updatedUtc` if
   * anything changed, be it the order alone; else writes nothing. Rejects with `Dangling` if there is no such server.
   */
  sync(serverId: string, tools: readonly FoundTool[]): Promise<ToolSync>;
  /** A missing one too. */
  get(id: string): Promise<ToolRecord | undefined>;
  /** To the letter; a missing one too. */
  findByName(serverId: string, name: string): Promise<ToolRecord | undefined>;
  /** In the order of servers and, in each, of their lists, with the missing ones behind. */
  list(query?: ToolQuery): Promise<readonly ToolRecord[]>;
  count(query?: Omit<ToolQuery, keyof Page>): Promise<number>;
  /** Grows with every change of any tool or server, of this process or another; for ETags. */
  version(): Promise<number>;
}

export interface AgentRecord extends NewAgent {
  readonly id: string;
  readonly createdUtc: string;
  readonly updatedUtc: string;
}

export interface AgentQuery extends Page {
  /** Words, all of which must stand in name or description, without regard to case. `%` and `_` mean themselves. */
  readonly search?: string | undefined;
}

export interface AgentTable {
  /** Rejects with `NameTaken` if there is one of that name. */
  create(agent: NewAgent): Promise<AgentRecord>;
  get(id: string): Promise<AgentRecord | undefined>;
  /** Without regard to case. */
  findByName(name: string): Promise<AgentRecord | undefined>;
  /** In the order of creation. */
  list(query?: AgentQuery): Promise<readonly AgentRecord[]>;
  count(query?: Omit<AgentQuery, keyof Page>): Promise<number>;
  /** A member that is there and undefined is taken away, or left alone if every agent has it. `NameTaken` as above. */
  change(id: string, change: Partial<NewAgent>): Promise<AgentRecord | undefined>;
  /** With its bindings and its keys. Tells whether there was one. */
  delete(id: string): Promise<boolean>;
}

export interface NewBinding {
  readonly agentId: string;
  readonly toolId: string;
  readonly config?: BindingConfig | undefined;
  readonly enabled: boolean;
}

export interface BindingRecord extends NewBinding {
  readonly id: string;
  readonly createdUtc: string;
  readonly updatedUtc: string;
}

/** A link together with the tool that it leads to. */
export interface BoundTool extends BindingRecord {
  readonly tool: ToolRecord;
  /** Where the tool's server comes from. */
  readonly serverOrigin: ServerOrigin;
}

export interface BindingTable {
  /** Rejects with `NameTaken` if the agent has that tool already, with `Dangling` if there is no such agent or tool. */
  create(binding: NewBinding): Promise<BindingRecord>;
  get(id: string): Promise<BindingRecord | undefined>;
  /** In the order of creation, those of missing tools included. */
  listOf(agentId: string): Promise<readonly BoundTool[]>;
  /** A `config` that is there and undefined is taken away. Undefined if there is no such link. */
  change(id: string, change: Partial<Pick<NewBinding, "config" | "enabled">>): Promise<BindingRecord | undefined>;
  /** Tells whether there was one. */
  delete(id: string): Promise<boolean>;
}

/** There is one of that name, or that pair, already. */
export class NameTaken extends TypeError {
  /** Layers that may not load this file know it by its name. */
  override readonly name: string = "NameTaken";
}

/** It speaks of something that is not there. */
export class Dangling extends TypeError {
  override readonly name: string = "Dangling";
}

/**
 * Text without its case, for names that are unique and texts that are searched: databases disagree on case, this does not.
 * Two spellings that look alike on the screen, composed or not, give the same.
 */
export function foldCase(text: string): string {
  // The small final sigma depends on what follows, so a part of a word would not be found in the whole.
  return text.normalize("NFC").toLowerCase().replaceAll("ς", "σ");
}

/** What a search looks for, the longest word first: it rules out the most. */
export function foldedWords(search: string): readonly string[] {
  const words = foldCase(search).split(/\s+/u);
  return words.filter((word) => word !== "").sort((one, other) => other.length - one.length);
}
