/** Calls of a house's tools, by name, and how their outcome is told. */
import { toZaguanError, ZaguanError } from "../../errors.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { Arguments, Refusal } from "../shared/tool-call.ts";
import type { SourceRequest } from "../source.ts";
import { callService, createAutomation, toggleAutomation } from "./acting-tools.ts";
import type { House, Told, Tool } from "./house.ts";
import { getEntities, getEntityState, getHistory, listAutomations } from "./reading-tools.ts";
import { getServices } from "./services-tool.ts";

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["get_entities", getEntities],
  ["get_entity_state", getEntityState],
  ["call_service", callService],
  ["get_history", getHistory],
  ["get_services", getServices],
  ["create_automation", createAutomation],
  ["list_automations", listAutomations],
  ["toggle_automation", toggleAutomation],
]);

export async function callTool(house: House, { name, args, language, signal }: SourceRequest): Promise<Payload> {
  const tool = TOOLS.get(name);
  if (!tool) throw new ZaguanError("UNKNOWN_TOOL", { params: { tool: name }, delivery: "not_sent" });
  try {
    return success(await tool(house, { args: new Arguments(args, language), language, signal }));
  } catch (cause) {
    if (cause instanceof Refusal) return failure(name, cause, language);
    throw toZaguanError(cause);
  }
}

/** The first text is what seed 003 prints; what it does not know of stands in a second. */
function success({ text, structured, note }: Told): Payload {
  const structuredContent = note === undefined ? structured : { ...structured, note };
  return Payload.ofValue({ content: texts(text, note), structuredContent, isError: false });
}

function failure(tool: string, { message: reason, advice }: Refusal, language: Language): Payload {
  return Payload.ofValue({ content: texts(say(language, "home.failed", { tool, reason }), advice), isError: true });
}

function texts(...given: readonly (string | undefined)[]): readonly object[] {
  return given.filter((text) => text !== undefined).map((text) => ({ type: "text", text }));
}
