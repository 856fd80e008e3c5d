/** Programs of others that stand between a client and a server and change the transport: mcp-remote and supergateway. */
import process from "node:process";
import { freePort, type Listening, listen } from "./listening.ts";
import { modulePath, type ServerCommand } from "./official-servers.ts";

const REMOTE = modulePath("mcp-remote/dist/proxy.js");
const GATEWAY = modulePath("supergateway/dist/index.js");

/** A stdio server that speaks with the one at the URL. It keeps files of its own in the folder. */
export function mcpRemote(folder: string, url: string, ...words: readonly string[]): ServerCommand {
  const env = { MCP_REMOTE_CONFIG_DIR: folder };
  return { command: process.execPath, args: [REMOTE, url, ...words], env };
}

/** The same by supergateway. */
export function superGateway(...words: readonly string[]): ServerCommand {
  return { command: process.execPath, args: [GATEWAY, "--logLevel", "none", ...words] };
}

export interface ListeningBridge extends Listening {
  /** `127.0.0.1:PORT` */
  readonly host: string;
}

/** A stdio server, listening by supergateway. */
export async function listeningGateway(server: ServerCommand, ...words: readonly string[]): Promise<ListeningBridge> {
  const port = await freePort();
  const stdio = [server.command, ...server.args].map((word) => `"${word}"`).join(" ");
  const started = await listen([GATEWAY, "--stdio", stdio, "--port", String(port), ...words], /Listening on port/);
  return { ...started, host: `127.0.0.1:${port}` };
}
