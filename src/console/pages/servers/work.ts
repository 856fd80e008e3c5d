/**
 * What servers are asked to do from here: discovered, refreshed, started anew. It belongs to the server and not to the part
 * of the page that shows it: who comes back finds it still under way, or what came of it.
 */
import type { ShownTool } from "../../../contract/server.ts";
import { rest } from "../../kit/api.ts";
import { type Problem, toProblem } from "../../kit/problem.ts";
import { Store } from "../../kit/store.ts";
import { type Difference, differenceOf } from "./difference.ts";
import type { ServerRecord } from "./types.ts";

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

/** By the server's name; the last one of each. */
export const works: Store<ReadonlyMap<string, Work>> = new Store<ReadonlyMap<string, Work>>(new Map());

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
