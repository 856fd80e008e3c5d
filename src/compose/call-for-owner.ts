/** A call that this machine's owner has ordered beforehand: a timer's. It takes the same way as any other. */
import { isLimited } from "../core/access.ts";
import type { Principal } from "../core/call.ts";
import type { Hub } from "../core/gateway.ts";
import { ZaguanError } from "../errors.ts";
import { Payload } from "../protocol/json/payload.ts";
import { Stop } from "../stop.ts";

const OWNER: Principal = { id: "owner", kind: "local", name: "owner" };

/** Rejects with a ZaguanError, also if the tool itself failed. */
export async function callForOwner(hub: Hub, tool: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const manner = { principal: OWNER, language: "en", door: "timers", signal: new Stop() } as const;
  const result = await hub.call({ tool, args: Payload.ofValue(args), meta: undefined, ...manner });
  const { content, isError } = (result.value ?? {}) as { readonly content?: unknown; readonly isError?: unknown };
  const text = textIn(content);
  if (isError !== true) return text;
  const params = { source: tool, reason: text.slice(0, 500) };
  throw new ZaguanError("SOURCE_ERROR", { params, delivery: "executed" });
}

/** Whoever is not limited may call whatever there is, and what there will be. */
export async function mayCallTool(hub: Hub, tool: string, principal: Principal | undefined): Promise<boolean> {
  if (!principal || !isLimited(principal)) return true;
  const listed = await hub.listTools(principal, "en");
  return listed.some(({ definition }) => definition.name === tool);
}

function textIn(content: unknown): string {
  const items: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = items.map((item) => (item as { readonly text?: unknown } | null)?.text);
  return texts.filter((text) => typeof text === "string").join("\n");
}
