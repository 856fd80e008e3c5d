/** Does something in a house, and waits until it is seen to be done. */
import { callTool, type ToolResult } from "../../kit/call-tool.ts";
import { homes, house } from "../../kit/live.ts";
import { Problem } from "../../kit/problem.ts";
import { serviceFor, stateOf } from "./entities.ts";
import { until } from "./until.ts";

/** The name of the simulated house as a server. */
const HOUSE = "house";

export async function setLamp(name: string, on: boolean): Promise<void> {
  await act(HOUSE, "set_light_state", { name, on });
  await until(house, (now) => now?.lights[name] === on);
}

export async function setAlarm(armed: boolean): Promise<void> {
  await act(HOUSE, "set_alarm_state", { armed });
  await until(house, (now) => now?.alarm === armed);
}

export async function setEntity(home: string, id: string, on: boolean): Promise<void> {
  await act(home, "call_service", serviceFor(id, on));
  await until(homes, (now) => stateOf(now, home, id) === (on ? "on" : "off"));
}

/** A tool that says that it failed has failed. */
async function act(server: string, tool: string, args: object): Promise<void> {
  const result = await callTool(server, tool, args);
  if (result.isError) throw new Problem(200, { detail: textOf(result) });
}

function textOf({ content = [] }: ToolResult): string {
  return content.flatMap(({ text }) => text ?? []).join("\n");
}
