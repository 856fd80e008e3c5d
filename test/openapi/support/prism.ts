/** Prism as a mock server of one document: an independent reader of it, which says what is wrong with a request. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { until } from "../../support/processes.ts";

const PRISM = fileURLToPath(new URL("../node_modules/@stoplight/prism-cli/dist/index.js", import.meta.url));
const START_LIMIT_MS = 120_000;

export interface Prism {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPrism(file: string): Promise<Prism> {
  const port = await freePort();
  const args = [PRISM, "mock", file, "--port", String(port), "--host", "127.0.0.1"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said = `${said}${text}`.slice(-20_000)));
  }
  const isUp = () => said.includes("Prism is listening") || child.exitCode !== null;
  await until("Prism listens", isUp, START_LIMIT_MS).catch(async (cause) => {
    await stop(child);
    throw cause;
  });
  if (child.exitCode !== null) throw new Error(`Prism ended: ${said}`);
  return { url: `http://127.0.0.1:${port}`, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
