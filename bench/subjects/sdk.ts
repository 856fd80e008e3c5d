/** Servers made with the official SDK, with no gateway before them. */
import { start } from "../processes.ts";
import type { Work } from "../work.ts";
import { echoSettings, NODE, overHttp, program, type Running } from "./subject.ts";

export async function sdk(version: "v1" | "v2", work: Work): Promise<Running> {
  return overHttp(await start(NODE, [program(`sdk-${version}.mjs`), echoSettings(work)]));
}
