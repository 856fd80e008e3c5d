/** The suite as a client: against our fixture behind the hub, in either form, or against the fixture alone. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { spawnZaguan } from "../support/spawn-zaguan.ts";
import type { Outcome } from "./judge.ts";
import { resultsIn } from "./results.ts";
import { runSuite, type Selection, wantedScenarios } from "./suite.ts";

const FIXTURE = fileURLToPath(new URL("./fixture-server.mjs", import.meta.url));

/** Through `/servers/fixture/mcp`; `form` is the revision, by its year, that the fixture speaks to the hub. */
export async function runBehindHub(selection: Selection, form: string): Promise<Outcome> {
  const server = { command: process.execPath, args: [FIXTURE, form], zaguan: { trusted: true } };
  const hub = await spawnZaguan({ config: { mcpServers: { fixture: server } } });
  try {
    return await runAgainst(`${hub.url}/servers/fixture/mcp`, selection);
  } finally {
    await hub.stop();
  }
}

/** Tells a fault of the fixture from one of the hub. */
export async function runFixtureAlone(selection: Selection): Promise<Outcome> {
  const child = spawn(process.execPath, [FIXTURE, "--http", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [address] = await once(child.stdout.setEncoding("utf8"), "data");
    return await runAgainst(String(address).trim(), selection);
  } finally {
    child.kill();
  }
}

async function runAgainst(url: string, selection: Selection): Promise<Outcome> {
  const { revision, scenario, folder } = selection;
  const which = scenario ? ["--scenario", scenario, "--spec-version", revision] : ["--requirements", revision];
  const said = await runSuite(["server", "--url", url, ...which, "-o", folder]);
  return { scenarios: resultsIn(folder, wantedScenarios(selection, "server")), said };
}
