/**
 * The "client" that the conformance suite judges: starts a hub whose only server is the suite's own, and does through the
 * hub's door what the scenario asks. Prints "done" when all of it went well, which the harness looks for.
 *
 * Usage, by the suite: node client-wrapper.ts URL
 *   with MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_PROTOCOL_VERSION and sometimes MCP_CONFORMANCE_CONTEXT
 */
import process from "node:process";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import type { DoorClient, Json } from "./client.ts";
import { connectWithSession } from "./client-2025.ts";
import { StatelessClient } from "./client-2026.ts";
import { SCENARIOS } from "./client-scenarios.ts";

/** Below the suite's own limit, so that no hub outlives it. */
const LIMIT_MS = 25_000;

const {
  MCP_CONFORMANCE_SCENARIO: scenario = "",
  MCP_CONFORMANCE_PROTOCOL_VERSION: revision = "",
  MCP_CONFORMANCE_CONTEXT: context = "{}",
} = process.env;
const [url = ""] = process.argv.slice(2);

const server = { type: "http", url, zaguan: { trusted: true, allowPrivate: true } };
const hub = await spawnZaguan({ config: { mcpServers: { fixture: server } } });
try {
  await Promise.race([play(hub), tooLate()]);
  await hub.stop();
  console.log("done");
  process.exit(0);
} catch (cause) {
  console.error(`${String(cause)}\n${hub.stderr()}`);
  await hub.kill();
  process.exit(1);
}

async function play({ url: hubUrl }: SpawnedZaguan): Promise<void> {
  const steps = SCENARIOS[scenario];
  if (!steps) throw new Error(`nobody has written down what to do in the scenario "${scenario}"`);
  const client = await connect(`${hubUrl}/servers/fixture/mcp`);
  await steps(client, JSON.parse(context) as Json);
  await client.close();
}

async function connect(door: string): Promise<DoorClient> {
  return revision === "2026-07-28" ? new StatelessClient(door) : connectWithSession(door);
}

function tooLate(): Promise<never> {
  return new Promise((_, reject) =>
    setTimeout(() => reject(new Error("the scenario took too long")), LIMIT_MS).unref(),
  );
}
