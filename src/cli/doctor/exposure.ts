/** Who may use the hub without a key, and whether a proxy in front of it is known to its configuration. */
import { ConfigError } from "../../config/config-error.ts";
import { loadConfig } from "../../config/config-file.ts";
import type { AuthConfig } from "../../config/types.ts";
import { isLoopbackIdentity } from "../../security/addresses.ts";
import { CommandFailure } from "../failures.ts";
import { hubAt } from "../hub-client.ts";
import { findRunningHub } from "../hub-file.ts";
import { type Finding, ill, type Patient, well } from "./finding.ts";

const ANSWER_MS = 5_000;

/** Nothing is said about a file that cannot be read: that was said already. */
export async function checkExposure(patient: Patient): Promise<readonly Finding[]> {
  try {
    const { auth } = await loadConfig(patient.serve.configFile, patient.env);
    return [await checkAuth(patient, auth)];
  } catch (cause) {
    if (cause instanceof ConfigError) return [];
    throw cause;
  }
}

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
