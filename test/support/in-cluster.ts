/**
 * Runs a command with TEST_CLUSTER set: the tests then start a cluster of three nodes behind a round-robin balancer in place of each hub.
 *
 * Usage: node test/support/in-cluster.ts COMMAND [ARGUMENT...]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { NO_NATS, startNats } from "./nats.ts";
import { NO_POSTGRES, startPostgres } from "./postgres.ts";

const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error("name the command to run");
const missing = NO_POSTGRES || NO_NATS;
if (missing) console.log(`skipped: ${missing}`);
else {
  // Each node has up to six connections, and tests may have several hubs open at a time.
  const postgres = await startPostgres({ settings: ["max_connections=300"] });
  const nats = await startNats();
  const place = JSON.stringify({ database: postgres.url("SCHEMA"), nats: nats.url });
  const child = spawn(command, args, { stdio: "inherit", env: { ...process.env, TEST_CLUSTER: place } });
  const [code] = await once(child, "exit");
  await nats.stop();
  await postgres.dispose();
  process.exitCode = code ?? 1;
}
