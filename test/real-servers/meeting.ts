/** What a client sees of one server: how long it took to come up, all that it offers, and what it answers. */
import { setTimeout as sleep } from "node:timers/promises";
import { CAN_BE_ASKED } from "../peers/support/answers.ts";
import { connectV1, type PeerClient, type Target } from "../peers/support/official-clients.ts";
import type { RealServer } from "./servers.ts";

export interface Meeting {
  readonly seconds: number;
  readonly offer: Offer;
  readonly answer: unknown;
}

export interface Offer {
  readonly server: unknown;
  readonly instructions: string | undefined;
  readonly tools: readonly unknown[];
  readonly prompts: readonly unknown[];
  readonly resources: readonly unknown[];
  readonly resourceTemplates: readonly unknown[];
}

export interface Failure {
  readonly seconds: number;
  readonly failed: string;
}

type Page = Readonly<Record<string, readonly unknown[]>> & { readonly nextCursor?: string };

const PAUSE_MS = 1_000;
const METHOD_NOT_FOUND = -32601;

/** Comes again until the server is up or the time has passed. */
export async function meet(target: Target, server: RealServer, limitMs: number): Promise<Meeting | Failure> {
  const start = performance.now();
  const passed = (): number => performance.now() - start;
  for (;;) {
    try {
      const client = await connectV1(target, { ...CAN_BE_ASKED, limitMs: Math.max(limitMs - passed(), PAUSE_MS) });
      try {
        const offer = await offerOf(client);
        const seconds = passed() / 1_000;
        return { seconds, offer, answer: server.call && (await client.callRaw(...server.call)) };
      } finally {
        await client.close();
      }
    } catch (error) {
      // A program that was started here is not started twice; the hub is asked again.
      if (typeof target !== "string" || passed() > limitMs) {
        return { seconds: passed() / 1_000, failed: (error as Error).message };
      }
      await sleep(PAUSE_MS);
    }
  }
}

async function offerOf(client: PeerClient): Promise<Offer> {
  return {
    server: client.raw.getServerVersion(),
    instructions: client.raw.getInstructions(),
    tools: await listed(client, "tools", "listTools"),
    prompts: await listed(client, "prompts", "listPrompts"),
    resources: await listed(client, "resources", "listResources"),
    resourceTemplates: await listed(client, "resourceTemplates", "listResourceTemplates"),
  };
}

type Lister = "listTools" | "listPrompts" | "listResources" | "listResourceTemplates";

/** All pages, as they came over the wire; empty where the server knows no such list. */
async function listed(client: PeerClient, field: string, method: Lister): Promise<readonly unknown[]> {
  const capability = field === "resourceTemplates" ? "resources" : field;
  if (!(capability in (client.raw.getServerCapabilities() ?? {}))) return [];
  const found: unknown[] = [];
  let cursor: string | undefined;
  do {
    const asked = cursor === undefined ? undefined : { cursor };
    const page = await client.wire((raw) => raw[method](asked)).catch(unlessUnknown);
    if (!page) return found;
    found.push(...((page as Page)[field] ?? []));
    cursor = (page as Page).nextCursor;
  } while (cursor);
  return found;
}

/** Nothing for a list that the server does not know. */
function unlessUnknown(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== METHOD_NOT_FOUND) throw error;
}
