/** The official servers as a configuration names them, and one of them listening on a port. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { freePort, type Listening, listen } from "./listening.ts";

const EVERYTHING = modulePath("@modelcontextprotocol/server-everything/dist/index.js");
const FILESYSTEM = modulePath("@modelcontextprotocol/server-filesystem/dist/index.js");
const MEMORY = modulePath("@modelcontextprotocol/server-memory/dist/index.js");
const TAP = fileURLToPath(new URL("./tap.mjs", import.meta.url));

/** What an `mcpServers` entry holds, and what the clients' stdio transports take. */
export interface ServerCommand {
  readonly command: string;
  readonly args: string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface ListeningServer extends Listening {
  readonly url: string;
  readonly port: number;
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

/** It keeps its graph in this file. */
export function memory(file: string): ServerCommand {
  return { command: process.execPath, args: [MEMORY], env: { MEMORY_FILE_PATH: file } };
}

/** `server-everything` over Streamable HTTP. It tells no port that it chose itself, so it gets a free one or yours. */
export function listeningEverything(given?: number): Promise<ListeningServer> {
  return listening("streamableHttp", "/mcp", given);
}

/** The same over HTTP+SSE. */
export function everythingOverSse(): Promise<ListeningServer> {
  return listening("sse", "/sse");
}

async function listening(transport: string, path: string, given?: number): Promise<ListeningServer> {
  const port = given ?? (await freePort());
  const started = await listen([EVERYTHING, transport], /on port/, { PORT: String(port) });
  return { ...started, url: `http://127.0.0.1:${port}${path}`, port };
}
