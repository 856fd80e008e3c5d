/** Gateways of others, each in the fastest mode that does the same work and answers rightly. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pythonCommand } from "../install.ts";
import { freePort, makeFolder, removeFolder, start } from "../processes.ts";
import type { Work } from "../work.ts";
import { echoSettings, echoStdio, NODE, overHttp, overWebSocket, packaged, program, type Running } from "./subject.ts";

/** supergateway starts a process for every session. */
const SUPERGATEWAY_SESSIONS = 16;

/** Stateful: its stateless mode starts a process for every request. Without a log, which would tell every message. */
export async function supergateway(work: Work): Promise<Running> {
  const port = await freePort();
  const quoted = echoStdio(work).map((word) => `'${word}'`);
  const kind = work.door === "websocket" ? ["ws"] : ["streamableHttp", "--stateful"];
  const words = [
    "--stdio",
    quoted.join(" "),
    "--outputTransport",
    ...kind,
    "--logLevel",
    "none",
    "--port",
    String(port),
  ];
  const started = await start(NODE, [packaged("supergateway/dist/index.js"), ...words], { port });
  if (work.door === "websocket") return overWebSocket(started, "/message");
  return overHttp(started, { sessions: SUPERGATEWAY_SESSIONS });
}

/** One process behind all sessions. Without the event store, which would keep every answer. */
export async function mcpProxy(work: Work): Promise<Running> {
  const port = await freePort();
  const era = work.era === "2026" ? ["--upstreamProtocol", "modern"] : [];
  const words = ["--server", "stream", "--no-eventStore", "--host", "127.0.0.1", "--port", String(port), ...era];
  const args = [packaged("mcp-proxy/dist/bin/mcp-proxy.mjs"), ...words, "--", ...echoStdio(work)];
  return overHttp(await start(NODE, args, { port }));
}

export async function pythonFastmcp(work: Work): Promise<Running> {
  const command = await pythonCommand("fastmcp");
  const folder = makeFolder();
  const [executable, ...args] = echoStdio(work);
  const upstream = work.upstream === "http" ? await startEchoHttp(work) : undefined;
  const server = upstream ? { url: `${upstream.url}/mcp`, transport: "http" } : { command: executable, args };
  const file = join(folder, "mcp.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { up: server } }));
  const port = await freePort();
  const words = ["--transport", "http", "--port", String(port), "--no-banner", "--log-level", "ERROR"];
  const started = await start(command, ["run", file, ...words], { port, cwd: folder });
  const clean = async (): Promise<void> => {
    await upstream?.stop();
    removeFolder(folder);
  };
  return overHttp(started, { clean });
}

function startEchoHttp(work: Work) {
  return start(NODE, [program("echo-http.mjs"), echoSettings(work)]);
}

export async function pythonMcpProxy(work: Work): Promise<Running> {
  const command = await pythonCommand("mcp-proxy");
  const port = await freePort();
  const words = ["--port", String(port), "--log-level", "ERROR", "--", ...echoStdio(work)];
  return overHttp(await start(command, words, { port }));
}
