/** The echo server in every form in which an official source can be had, and the hub's configuration for all of them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Revision } from "../echo-servers/echo.ts";
import { type EchoHouse, type Form, openEchoHouse, type UrlEcho } from "../echo-servers/http.ts";
import { RpcOverHttp } from "../rpc-over-http.ts";
import { type SpawnedZaguan, spawnZaguan } from "../spawn-zaguan.ts";
import type { Era } from "./doors.ts";

export interface SourceForm {
  /** As it is configured. */
  readonly name: string;
  readonly revision: Revision;
  readonly form: Form | "stdio";
}

export const SOURCES: readonly SourceForm[] = [
  { name: "stdio-2025-11-25", revision: "2025-11-25", form: "stdio" },
  { name: "stdio-2026-07-28", revision: "2026-07-28", form: "stdio" },
  { name: "http-2025-11-25-json", revision: "2025-11-25", form: "json" },
  { name: "http-2025-11-25-events", revision: "2025-11-25", form: "events" },
  { name: "http-2026-07-28-json", revision: "2026-07-28", form: "json" },
  { name: "http-2026-07-28-events", revision: "2026-07-28", form: "events" },
  { name: "http-sse-2024-11-05", revision: "2024-11-05", form: "http+sse" },
  { name: "websocket-2025-11-25", revision: "2025-11-25", form: "websocket" },
];

const START_LIMIT_MS = 30_000;
const STDIO = fileURLToPath(new URL("../echo-servers/stdio.ts", import.meta.url));

export function eraOf({ revision }: SourceForm): Era {
  return revision === "2026-07-28" ? "stateless" : "handshake";
}

/** Whether a break between tokens of what it says cannot be told from another. */
export function speaksInLines({ form }: SourceForm): boolean {
  return form !== "json" && form !== "websocket";
}

/** The same of what it hears. */
export function hearsInLines({ form }: SourceForm): boolean {
  return form === "stdio";
}

export interface EchoHub {
  readonly hub: SpawnedZaguan;
  /** The same server as the hub's, alone in a configuration file. */
  configOf(source: SourceForm): string;
  close(): Promise<void>;
}

/** One hub with a server of every form. */
export async function openEchoHub(): Promise<EchoHub> {
  const house = await openEchoHouse(SOURCES.filter(hasUrl));
  const configOf = (...sources: readonly SourceForm[]): object => ({
    mcpServers: Object.fromEntries(sources.map((source) => [source.name, entryOf(source, house)])),
    // Long texts are sent as arguments, in which their escapes are escaped once more.
    limits: { bodyBytes: 16_777_216 },
    devices: { house: false },
  });
  const hub = await spawnZaguan({ config: configOf(...SOURCES) });
  await allListed(hub);
  const close = async (): Promise<void> => {
    await hub.stop();
    await house.close();
  };
  const alone = (source: SourceForm): string => {
    const file = join(hub.folder, `${source.name}.json`);
    writeFileSync(file, JSON.stringify(configOf(source)));
    return file;
  };
  return { hub, close, configOf: alone };
}

/** At single servers nobody would have to wait, but a prompt of the whole catalogue is unknown until its server is. */
async function allListed({ url }: SpawnedZaguan): Promise<void> {
  const http = new RpcOverHttp(url);
  const end = performance.now() + START_LIMIT_MS;
  const missing = async (): Promise<string[]> => {
    const { text } = await http.rpc({ id: 1, method: "prompts/list" });
    return SOURCES.map(({ name }) => name).filter((name) => !text.includes(`echo of ${name}`));
  };
  for (let names = await missing(); names.length > 0; names = await missing()) {
    if (performance.now() > end) throw new Error(`the hub does not list what these offer: ${names.join(", ")}`);
    await sleep(20);
  }
  await http.close();
}

function entryOf({ name, revision, form }: SourceForm, house: EchoHouse): object {
  if (form === "stdio") return { command: process.execPath, args: [STDIO, name, revision] };
  return { url: house.urlOf(name), zaguan: { allowPrivate: true } };
}

function hasUrl(source: SourceForm): source is UrlEcho {
  return source.form !== "stdio";
}
