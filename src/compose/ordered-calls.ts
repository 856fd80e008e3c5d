/**
 * Calls that somebody ordered beforehand: a timer's. Each is made as whoever ordered it, with the rights that this principal
 * has when the call is made, and takes the same way as any other.
 */
import type { Order, Starter } from "../abilities/ability.ts";
import { isLimited } from "../core/access.ts";
import type { CallRequest, Principal } from "../core/call.ts";
import type { Hub } from "../core/hub.ts";
import { ZaguanError } from "../errors.ts";
import { LightAbort } from "../light-abort.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { Agents } from "../registry/agents.ts";
import { toPrincipal } from "../security/authenticate.ts";
import type { KeyTable } from "../store/store.ts";

/** The local user, who started this process and may do everything. */
export const LOCAL: Principal = { id: "local", kind: "local", name: "local", admin: true };

/** Rejects with a ZaguanError, also if the tool itself failed. */
export async function callOrdered(hub: Pick<Hub, "call">, order: Order): Promise<string> {
  const result = await hub.call(requestOf(order));
  const { content, isError } = (result.value ?? {}) as { readonly content?: unknown; readonly isError?: unknown };
  const text = textIn(content);
  if (isError !== true) return text;
  const params = { source: order.tool, reason: text.slice(0, 500) };
  throw new ZaguanError("SOURCE_ERROR", { params, delivery: "executed" });
}

/** Principals without limits may call every tool, also one that does not exist yet: only the limited are checked. */
export async function checkOrdered(hub: Pick<Hub, "check">, order: Order): Promise<void> {
  if (isLimited(order.principal)) await hub.check(requestOf(order));
}

export interface Principals {
  readonly keys: Pick<KeyTable, "list">;
  readonly agents: Pick<Agents, "principal" | "actingAs">;
  /** The voice endpoints that are dialled now. */
  endpoints(): readonly { readonly name: string; readonly agent?: string | undefined }[];
}

/** What a starter came with must still be valid, and must still stand for the same principal. */
export async function principalOf(starter: Starter, principals: Principals): Promise<Principal | undefined> {
  const holder = await holderOf(starter.credential ?? starter.id, principals);
  if (!holder || holder.id === starter.id) return holder;
  const [kind, agentId] = partsOf(starter.id);
  if (kind !== "agent") return undefined;
  const acting = await principals.agents.actingAs(agentId, holder).catch(orUndefined);
  return acting?.id === starter.id ? acting : undefined;
}

async function holderOf(credential: string, principals: Principals): Promise<Principal | undefined> {
  const [kind, name] = partsOf(credential);
  if (credential === LOCAL.id) return LOCAL;
  if (kind === "key") return await keyHolder(name, principals);
  const endpoint = kind === "xiaozhi" && principals.endpoints().find((each) => each.name === name);
  if (!endpoint) return undefined;
  const anybody: Principal = { id: credential, kind: "key", name };
  const { agent } = endpoint;
  return agent === undefined ? anybody : await principals.agents.actingAs(agent, anybody).catch(orUndefined);
}

async function keyHolder(id: string, { keys, agents }: Principals): Promise<Principal | undefined> {
  const record = (await keys.list()).find((key) => key.id === id && key.revokedUtc === undefined);
  if (record?.agentId !== undefined) return await agents.principal(record.agentId, id);
  return record && toPrincipal(record, () => false);
}

/** Only of an agent that is not there, or not for this principal, is it certain that there is none. */
function orUndefined(cause: unknown): undefined {
  if (cause instanceof ZaguanError && cause.code === "NO_SUCH") return undefined;
  throw cause;
}

function partsOf(id: string): readonly [kind: string, name: string] {
  const colon = id.indexOf(":");
  return [id.slice(0, colon), id.slice(colon + 1)];
}

function requestOf({ tool, args, principal }: Order): CallRequest {
  return { tool, args: Payload.ofValue(args), principal, language: "en", door: "timers", signal: new LightAbort() };
}

function textIn(content: unknown): string {
  const items: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = items.map((item) => (item as { readonly text?: unknown } | null)?.text);
  return texts.filter((text) => typeof text === "string").join("\n");
}
