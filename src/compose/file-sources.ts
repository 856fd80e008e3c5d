/** The sources that stand in the configuration file, and the simulated house: one entry of the list for each section. */
import type { AbilityContext } from "../abilities/ability.ts";
import type { HouseConfig, ServerConfig, ServerPolicy, ZaguanConfig } from "../config/types.ts";
import { makeHouseKind } from "../sources/house/source.ts";
import {
  PREPARE_SECTIONS,
  type PreparedSource,
  prepared,
  prepareHouse,
  prepareServer,
  type ServerSettings,
} from "../sources/index.ts";
import type { DocumentTable } from "../store/store.ts";

/** What a section may need to prepare its sources. */
export interface Surroundings extends ServerSettings {
  readonly documents: DocumentTable;
  ability(): AbilityContext;
  /** One line for the log of the hub. */
  log(line: string): void;
}

interface Section<Entry> {
  /** By the names of their sources. */
  entriesIn(config: ZaguanConfig): Readonly<Record<string, Entry>>;
  prepare(name: string, entry: Entry, surroundings: Surroundings): PreparedSource | Promise<PreparedSource>;
  /** True where it stands in no file. */
  readonly isBuiltIn?: true;
  /** For sections of MCP servers: how they are reached is shown in the registry. */
  readonly hasServers?: true;
  /** True where it takes a connection to learn what they offer, so that it is kept for the next start. */
  readonly remembersTools?: true;
  /** Whether each node of a cluster may have its own connection to it; otherwise one node holds it. */
  isShared?(entry: Entry): boolean;
}

export interface FileSource {
  readonly name: string;
  /** As it stands in the file, defaults filled in. */
  readonly entry: object;
  readonly origin: "built-in" | "configured";
  readonly isDisabled: boolean;
  readonly remembersTools: boolean;
  readonly isShared: boolean;
  readonly policy: ServerPolicy;
  readonly server?: ServerConfig | undefined;
  prepare(surroundings: Surroundings): PreparedSource | Promise<PreparedSource>;
}

/** Of what is our own: its hints may be believed. */
export const OWN_POLICY: ServerPolicy = { trusted: true, allowPrivate: false, repeatable: [], cacheSeconds: {} };

/** In the order in which sources come up, which decides who keeps the name of a tool. */
const SECTIONS = [
  section({
    entriesIn: ({ devices: { house } }): Record<string, HouseConfig> => (house ? { house } : {}),
    prepare: (_name, options, { documents }) => prepared(makeHouseKind(documents), options),
    isBuiltIn: true,
  }),
  section({
    entriesIn: ({ mcpServers }) => mcpServers,
    prepare: (_name, server, settings) => prepareServer(server, settings),
    hasServers: true,
    remembersTools: true,
    isShared: isReachedByUrl,
  }),
  section({ entriesIn: ({ homeAssistant }) => homeAssistant, prepare: prepareHouse }),
  section({
    entriesIn: ({ apiTools }) => apiTools,
    prepare: async (name, api, { allowPrivate }) =>
      (await import("./configured-apis.ts")).prepareConfiguredApi(name, api, allowPrivate),
    remembersTools: true,
    isShared: () => true,
  }),
  section({
    entriesIn: ({ devices: { abilities } }) => abilities as Readonly<Record<string, object>>,
    prepare: async (name, settings, { ability }) =>
      (await import("./user-tools.ts")).prepareAbility(name, settings, ability()),
  }),
  section({
    entriesIn: ({ devices: { tools } }): Record<string, { folder: string }> =>
      tools === undefined ? {} : { tools: { folder: tools } },
    prepare: async (_name, { folder }, { log }) => (await import("./user-tools.ts")).prepareToolsFolder(folder, log),
  }),
];

/** Those of `sources/sections.ts`. */
const OF_KINDS = Object.entries(PREPARE_SECTIONS).map(([key, prepare]) =>
  section({
    entriesIn: ({ sections }) => sections[key] ?? {},
    prepare: (name, entry, settings) => prepare(name, entry as never, settings),
  }),
);

/** A program runs once in a cluster; a server by its URL is connected to by every node. */
export function isReachedByUrl({ url }: ServerConfig): boolean {
  return url !== undefined;
}

export function sourcesIn(config: ZaguanConfig): FileSource[] {
  return [...SECTIONS, ...OF_KINDS].flatMap((sourcesOf) => sourcesOf(config));
}

function section<Entry extends object>({ entriesIn, prepare, ...about }: Section<Entry>) {
  return (config: ZaguanConfig): FileSource[] =>
    Object.entries(entriesIn(config)).map(([name, entry]) => {
      const { disabled = false, policy = OWN_POLICY } = entry as Partial<ServerConfig>;
      return {
        name,
        entry,
        origin: about.isBuiltIn ? "built-in" : "configured",
        isDisabled: disabled,
        policy,
        server: about.hasServers && (entry as ServerConfig),
        remembersTools: about.remembersTools === true,
        isShared: about.isShared?.(entry) ?? false,
        prepare: (surroundings) => prepare(name, entry, surroundings),
      };
    });
}
