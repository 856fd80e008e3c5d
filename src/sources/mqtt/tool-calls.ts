/** The tools of a broker by name. */
import type { Payload } from "../../protocol/json/payload.ts";
import { callTool } from "../shared/tool-call.ts";
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

export function callBrokerTool(broker: Broker, request: SourceRequest): Promise<Payload> {
  const { name, language } = request;
  const isOffered = toolsFor(broker.options, language).some((tool) => tool.name === name);
  const tool = isOffered ? TOOLS.get(name) : undefined;
  return callTool(tool, broker, request, (tool, reason) => tell(language, "failed", { tool, reason }));
}
