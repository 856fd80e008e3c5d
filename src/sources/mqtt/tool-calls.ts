/** Calls of a broker's tools, by name, and how their outcome is told. */
import { toZaguanError, ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { Arguments, Refusal } from "../shared/tool-call.ts";
import type { SourceRequest } from "../source.ts";
import type { Broker, Tool } from "./broker.ts";
import { getDevice, listDevices } from "./device-tools.ts";
import { setDevice } from "./set-device.ts";
import { tell } from "./texts/index.ts";
import { toolsFor } from "./tools.ts";
import { listTopics, publish, readTopic } from "./topic-tools.ts";

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["list_devices", listDevices],
  ["get_device", getDevice],
  ["set_device", setDevice],
  ["list_topics", listTopics],
  ["read_topic", readTopic],
  ["publish", publish],
]);

export async function callTool(broker: Broker, { name, args, language, signal }: SourceRequest): Promise<Payload> {
  const isOffered = toolsFor(broker.options, language).some((tool) => tool.name === name);
  const tool = isOffered ? TOOLS.get(name) : undefined;
  if (!tool) throw new ZaguanError("UNKNOWN_TOOL", { params: { tool: name }, delivery: "not_sent" });
  try {
    const { text, structured } = await tool(broker, { args: new Arguments(args, language), language, signal });
    return Payload.ofValue({ content: [{ type: "text", text }], structuredContent: structured, isError: false });
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw toZaguanError(cause);
    const texts = [tell(language, "failed", { tool: name, reason: cause.message }), cause.advice];
    const content = texts.filter((text) => text !== undefined).map((text) => ({ type: "text", text }));
    return Payload.ofValue({ content, isError: true });
  }
}
