/**
 * What servers are asked to do from here: registered, discovered, refreshed, started anew, removed. It belongs to the server and not to the part
 * of the page that shows it: who comes back finds it still under way, or what came of it.
 */
import { pathOf } from "../../../contract/client.ts";
import type { GivenServer, Server, ServerPreview, ShownTool } from "../../../contract/server.ts";
import { type Problem, rest, toProblem } from "../../kit/api.ts";
import { Store } from "../../kit/store.ts";
import { keptRecord, type ServerRecord } from "./rows.ts";

export type WorkKind = "discover" | "refresh" | "restart";

export interface Work {
  readonly kind: WorkKind;
  readonly since: number;
  /** Undefined while it runs. */
  readonly outcome?: Outcome | undefined;
}

export type Outcome =
  | ({ readonly kind: "tools" } & Difference)
  | { readonly kind: "state"; readonly state: ServerRecord["state"]; readonly lastError: string | null }
  | { readonly kind: "failed"; readonly problem: Problem };

/** The last work of each server, by the server's name. */
export const works: Store<ReadonlyMap<string, Work>> = new Store(new Map());

export async function begin(name: string, kind: WorkKind): Promise<Outcome> {
  const work: Work = { kind, since: Date.now() };
  put(name, work);
  const outcome = await run(name, kind).catch((cause): Outcome => ({ kind: "failed", problem: toProblem(cause) }));
  put(name, { ...work, outcome });
  return outcome;
}

export function forget(name: string): void {
  works.change((known) => new Map([...known].filter(([each]) => each !== name)));
}

function put(name: string, work: Work): void {
  works.change((known) => new Map([...known, [name, work]]));
}

async function run(name: string, kind: WorkKind): Promise<Outcome> {
  if (kind === "restart") {
    const { state, lastError } = await rest.restartServer({ id: name });
    return { kind: "state", state, lastError };
  }
  const before = await rest.listToolsOfServer({ query: { serverId: name } });
  const { tools } =
    kind === "refresh" ? (await rest.refreshTools({ id: name })).tools : await rest.discoverTools({ id: name });
  return { kind: "tools", ...differenceOf(namesOf(before), namesOf(tools)) };
}

function namesOf(tools: readonly ShownTool[]): string[] {
  return tools.map(({ name }) => name);
}

interface Difference {
  readonly count: number;
  readonly added: readonly string[];
  readonly gone: readonly string[];
}

/** What two lists of names differ in. */
export function differenceOf(before: readonly string[], after: readonly string[]): Difference {
  const [old, now] = [new Set(before), new Set(after)];
  return {
    count: after.length,
    added: after.filter((name) => !old.has(name)),
    gone: before.filter((name) => !now.has(name)),
  };
}

/** Looks at a server before it is registered. Rejects what may not be; that it was not reached is part of the answer. */
export function preview(request: GivenServer, signal: AbortSignal): Promise<ServerPreview> {
  return rest.previewServer({ body: request }, signal);
}

/** Registers a server, and begins to ask for its tools without waiting for them. */
export async function register(request: GivenServer): Promise<ServerRecord> {
  const record = keptRecord(await rest.createServer({ body: request }));
  void begin(record.name, "discover");
  return record;
}

/** Servers whose removal is under way: nobody asks for them meanwhile, since they may be gone at any moment. */
export const removing = new Set<string>();

type Removal = { readonly path: string } | { readonly why: Exclude<Server["origin"], "registered"> };

/** How a server is removed from here, or why it cannot be: tools that were described one by one are not one thing. */
export function removalOf(name: string, origin: Server["origin"], isImported: boolean): Removal {
  if (origin === "registered") return { path: pathOf("deleteServer", { id: name }) };
  if (origin === "api" && isImported) return { path: pathOf("deleteApi", { id: name }) };
  return { why: origin };
}
