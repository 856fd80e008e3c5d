/**
 * Is the configuration valid, is what its servers name there, and who may use the hub without a key? Starts no server and
 * connects to none.
 */

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { basename, delimiter, isAbsolute, join, resolve } from "node:path";
import { ConfigError } from "../../config/config-error.ts";
import { loadConfig } from "../../config/config-file.ts";
import type { ApiToolsConfig, AuthConfig, ServerConfig, ZaguanConfig } from "../../config/types.ts";
import { isLoopbackIdentity } from "../../security/addresses.ts";
import { CommandFailure } from "../failures.ts";
import { hubAt } from "../hub-client.ts";
import { findRunningHub } from "../hub-file.ts";
import { isPrivateUrl } from "../server-options.ts";
import { type Finding, ill, type Patient, well } from "./finding.ts";

export async function checkConfiguration({ serve, env, say }: Patient): Promise<readonly Finding[]> {
  const file = basename(serve.configFile);
  try {
    const { mcpServers } = await loadConfig(serve.configFile, env);
    const count = Object.keys(mcpServers).length;
    const isThere = existsSync(serve.configFile);
    return [well(say(isThere ? "cli.doctor.config" : "cli.doctor.configNone", { file, count }))];
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    return [ill(cause.message, say("cli.doctor.configAdvice", { file }))];
  }
}

export async function checkServers(patient: Patient): Promise<readonly Finding[]> {
  const config = await validConfig(patient);
  if (!config) return [];
  return [
    ...Object.entries(config.mcpServers).map(([name, server]) => checkServer(patient, name, server)),
    ...Object.entries(config.apiTools).map(([name, api]) => checkApi(patient, name, api)),
  ];
}

/** Who may use the hub without a key, and whether a proxy in front of it is known to its configuration. */
export async function checkExposure(patient: Patient): Promise<readonly Finding[]> {
  const config = await validConfig(patient);
  return config ? [await checkAuth(patient, config.auth)] : [];
}

/** Undefined for a file that is not valid, which `checkConfiguration` has told already. */
async function validConfig({ serve, env }: Patient): Promise<ZaguanConfig | undefined> {
  try {
    return await loadConfig(serve.configFile, env);
  } catch (cause) {
    if (cause instanceof ConfigError) return undefined;
    throw cause;
  }
}

function checkServer(patient: Patient, name: string, server: ServerConfig): Finding {
  const { env, say } = patient;
  if (server.disabled) return well(say("cli.doctor.serverDisabled", { name }));
  if (server.url !== undefined) return checkUrl(patient, name, server.url, server.policy.allowPrivate);
  const command = server.command ?? "";
  const path = server.env["PATH"] ?? env["PATH"] ?? "";
  const found = findProgram(command, { path, cwd: server.cwd ?? process.cwd() });
  if (found !== undefined) return well(say("cli.doctor.serverProgram", { name, program: found }));
  return ill(say("cli.doctor.serverMissing", { name, command }), say("cli.doctor.serverAdvice", { name }));
}

/** Its document, where that is a file; else the address that is asked first. */
function checkApi(patient: Patient, name: string, api: ApiToolsConfig): Finding {
  const { say } = patient;
  if (api.disabled) return well(say("cli.doctor.serverDisabled", { name }));
  const url = "tools" in api ? api.baseUrl : "url" in api.document ? api.document.url : undefined;
  if (url !== undefined) return checkUrl(patient, name, url, api.policy.allowPrivate);
  const file = "document" in api && "file" in api.document ? api.document.file : "";
  if (existsSync(file)) return well(say("cli.doctor.serverProgram", { name, program: file }));
  return ill(say("cli.doctor.apiFile", { name, file }), say("cli.doctor.apiFileAdvice"));
}

function checkUrl({ serve, say }: Patient, name: string, url: string, allowPrivate: boolean): Finding {
  const { host } = new URL(url);
  if (allowPrivate || serve.allowPrivate || !isPrivateUrl(url))
    return well(say("cli.doctor.serverUrl", { name, host }));
  return ill(say("cli.doctor.serverPrivate", { name, host }), say("cli.doctor.serverPrivateAdvice"));
}

const ANSWER_MS = 5_000;

async function checkAuth({ serve, say }: Patient, auth: AuthConfig): Promise<Finding> {
  if (!isLoopbackIdentity({ host: serve.host, ...auth })) return well(say("cli.doctor.keyNeeded"));
  const url = findRunningHub(serve.dataDir)?.url;
  if (url === undefined || !(await refusesUs(url, serve.language))) return well(say("cli.doctor.noKeyNeeded"));
  if (auth.trustedProxies.length > 0) return well(say("cli.doctor.keyNeeded"));
  return ill(say("cli.doctor.proxySeen"), say("cli.doctor.proxyAdvice"));
}

/** A hub that asks us for a key, though its configuration does not say so, has seen a proxy. */
async function refusesUs(url: string, language: string): Promise<boolean> {
  try {
    await hubAt(url, undefined, language).get("/mcp/servers", { timeoutMs: ANSWER_MS });
    return false;
  } catch (cause) {
    return cause instanceof CommandFailure && cause.key === "cli.hub.needsKey";
  }
}

interface Search {
  readonly path: string;
  /** The folder from which a command with a slash is resolved. */
  readonly cwd: string;
}

/** Where a command would be found, by the rules of the system; undefined if nowhere. */
export function findProgram(command: string, { path, cwd }: Search): string | undefined {
  const folders = /[\\/]/.test(command) ? [""] : path.split(delimiter).filter((folder) => folder !== "");
  const candidates = folders.flatMap((folder) => endings().map((ending) => placed(folder, command, cwd) + ending));
  return candidates.find(isProgram);
}

function placed(folder: string, command: string, cwd: string): string {
  if (folder === "") return isAbsolute(command) ? command : resolve(cwd, command);
  return join(folder, command);
}

function endings(): readonly string[] {
  return process.platform === "win32" ? ["", ".exe", ".cmd", ".bat", ".com"] : [""];
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
