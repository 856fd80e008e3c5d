/** The official servers as a configuration names them, and one of them listening on a port. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { until } from "../../support/processes.ts";
import { cleanEnvironment } from "../../support/spawn-zaguan.ts";

const EVERYTHING = modulePath("@modelcontextprotocol/server-everything/dist/index.js");
const FILESYSTEM = modulePath("@modelcontextprotocol/server-filesystem/dist/index.js");
const TAP = fileURLToPath(new URL("./tap.mjs", import.meta.url));

/** What an `mcpServers` entry holds, and what the clients' stdio transports take. */
export interface ServerCommand {
  readonly command: string;
  readonly args: string[];
}

export interface ListeningServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** A file of an installed peer. */
export function modulePath(path: string): string {
  return fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
}

export function everything(): ServerCommand {
  return { command: process.execPath, args: [EVERYTHING, "stdio"] };
}

/** The same, with all that it is sent written to a file. */
export function tappedEverything(file: string): ServerCommand {
  const { command, args } = everything();
  return { command, args: [TAP, file, command, ...args] };
}

export function filesystem(folder: string): ServerCommand {
  return { command: process.execPath, args: [FILESYSTEM, folder] };
}

/** `server-everything` over Streamable HTTP. It tells no port that it chose itself, so it gets a free one or yours. */
export async function listeningEverything(given?: number): Promise<ListeningServer> {
  const port = given ?? (await freePort());
  const env = cleanEnvironment({ PORT: String(port) });
  const child = spawn(process.execPath, [EVERYTHING, "streamableHttp"], { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ready = (): boolean => /listening on port/.test(said) || child.exitCode !== null;
  await until("server-everything listens", ready);
  if (child.exitCode !== null) throw new Error(`server-everything did not start: ${said}`);
  return { url: `http://127.0.0.1:${port}/mcp`, port, close: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port to be had");
  return address.port;
}
