/** The bare floors, and the ceilings of what stands beside every subject: the upstream and the load generator. */
import { start } from "../processes.ts";
import type { Work } from "../work.ts";
import { echoSettings, echoStdio, NODE, overHttp, overWebSocket, program, type Running } from "./subject.ts";

export async function floorStdio(work: Work): Promise<Running> {
  return overHttp(await start(NODE, [program("floor-stdio.mjs"), ...echoStdio(work)]));
}

export async function floorHttp(work: Work): Promise<Running> {
  const upstream = await start(NODE, [program("echo-http.mjs"), echoSettings(work)]);
  const floor = await start(NODE, [program("floor-http.mjs"), `${upstream.url}/mcp`, work.era]);
  return overHttp(floor, { clean: () => upstream.stop() });
}

export async function floorWebSocket(work: Work): Promise<Running> {
  return overWebSocket(await start(NODE, [program("floor-websocket.mjs"), ...echoStdio(work)]), "/mcp");
}

export async function upstreamStdio(work: Work): Promise<Running> {
  const [command = "", ...args] = echoStdio(work);
  return { target: { kind: "stdio", command, args }, stop: async () => {} };
}

export async function upstreamHttp(work: Work): Promise<Running> {
  return overHttp(await start(NODE, [program("echo-http.mjs"), echoSettings(work)]));
}

export async function constant(): Promise<Running> {
  return overHttp(await start(NODE, [program("constant.mjs")]));
}
