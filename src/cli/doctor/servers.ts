/** Is the configuration valid, and is what its servers name there? Connects to none of them and starts none. */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import { ConfigError } from "../../config/config-error.ts";
import { loadConfig } from "../../config/config-file.ts";
import type { ApiToolsConfig, ServerConfig } from "../../config/types.ts";
import { isPrivateUrl } from "../private-url.ts";
import { type Finding, ill, type Patient, well } from "./finding.ts";
import { findProgram } from "./program-path.ts";

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

/** Nothing is said about the servers of a file that cannot be read: that was said already. */
export async function checkServers(patient: Patient): Promise<readonly Finding[]> {
  try {
    const { mcpServers, apiTools } = await loadConfig(patient.serve.configFile, patient.env);
    return [
      ...Object.entries(mcpServers).map(([name, server]) => checkServer(patient, name, server)),
      ...Object.entries(apiTools).map(([name, api]) => checkApi(patient, name, api)),
    ];
  } catch (cause) {
    if (cause instanceof ConfigError) return [];
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
