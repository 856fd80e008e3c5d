/** A registry over a real store in memory, where what stands around it (hub, servers, clock) does what a test says. */
import type { ServerConfig } from "../../src/config/types.ts";
import type { NewServer } from "../../src/contract/server.ts";
import type { Principal, ToolDefinition } from "../../src/core/call.ts";
import type { CancelSignal } from "../../src/light-abort.ts";
import { Agents } from "../../src/registry/agents.ts";
import type { OnStep, Probed, RegistryRules } from "../../src/registry/ports.ts";
import { ServerRegistry } from "../../src/registry/servers.ts";
import type { Secrets } from "../../src/security/secrets.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";
import { FakeClock } from "./fake-clock.ts";
import { makeTool } from "./make-call.ts";

export const LOCAL: Principal = { id: "local", kind: "local", name: "local", admin: true };
export const ADMIN: Principal = { id: "key:admin", kind: "key", name: "admin", admin: true };
export const PLAIN: Principal = { id: "key:plain", kind: "key", name: "plain" };
export const LIMITED: Principal = { id: "key:limited", kind: "key", name: "limited", allow: ["lamp_*"] };

export type Probe = (server: ServerConfig | undefined, signal: CancelSignal, onStep: OnStep) => Promise<Probed>;

export interface OpenRegistry {
  readonly store: Store;
  readonly servers: ServerRegistry;
  readonly agents: Agents;
  readonly clock: FakeClock;
  /** What the hub holds now, by name. */
  readonly attached: Map<string, ServerConfig>;
  /** What the hub was told that each offers when it was attached. */
  readonly offered: Map<string, readonly string[]>;
  /** What the hub was told that servers offer, later. */
  readonly learned: [name: string, tools: readonly string[]][];
  readonly reported: unknown[];
  /** Those that the hub was told to restart. */
  readonly restarted: string[];
  announced: number;
  rules: RegistryRules;
  /** How servers answer when they are asked for their tools; two of them at first. */
  probe: Probe;
}

export async function openRegistry(secrets: Secrets = openSecrets("a key")): Promise<OpenRegistry> {
  const store = await openSqliteStore(":memory:");
  const tables = store.registry;
  const clock = new FakeClock();
  const announce = (): void => void open.announced++;
  const servers = new ServerRegistry({
    tables,
    secrets,
    clock,
    random: () => 0.5,
    attachments: {
      attach: async (name, server, tools) => {
        open.attached.set(name, server);
        open.offered.set(name, namesOf(tools));
      },
      detach: async (name) => void open.attached.delete(name),
      has: (name) => open.attached.has(name),
      restart: async (name) => void open.restarted.push(name),
      learned: async (name, tools) => void open.learned.push([name, namesOf(tools)]),
      announce,
    },
    prober: { probe: (_name, server, signal, onStep) => open.probe(server, signal, onStep) },
    rules: () => open.rules,
    report: (cause) => open.reported.push(cause),
  });
  const agents = new Agents({ tables, shown: tables, keys: store.keys, announce, forgetKeys: () => {} });
  const open: OpenRegistry = {
    store,
    servers,
    agents,
    clock,
    attached: new Map(),
    offered: new Map(),
    learned: [],
    reported: [],
    restarted: [],
    announced: 0,
    rules: { allowPrivate: false, allowedCommands: ["node"], discoveryMs: 30_000 },
    probe: async () => found("on", "off"),
  };
  return open;
}

export function found(...names: string[]): Probed {
  const tools: ToolDefinition[] = names.map((name) => makeTool(name, { description: `Does ${name}` }));
  return { tools, transport: "bare JSON-RPC" };
}

function namesOf(tools: readonly ToolDefinition[]): readonly string[] {
  return tools.map(({ name }) => name);
}

/** What somebody says of a server that is on the internet. */
export function serverInput(name: string, more: Partial<NewServer> = {}): NewServer {
  return { name, baseUrl: `https://${name}.example/mcp`, authType: "none", ...more };
}

/** Seals nothing, but opens only what was sealed with the same key for the same record. */
export function openSecrets(key: string): Secrets {
  return {
    // Not to be read by whoever only looks.
    seal: (value, context) => Buffer.from(JSON.stringify([key, context, value])).toString("hex"),
    open: (sealed, context) => {
      const [sealedWith, sealedFor, value] = JSON.parse(String(Buffer.from(sealed, "hex"))) as [
        string,
        string,
        unknown,
      ];
      if (sealedWith !== key || sealedFor !== context) throw new TypeError("cannot be opened");
      return value;
    },
  };
}
