/**
 * Does our hub answer, and how quickly, and what does it say of its servers; or, if none is running, could one have the port?
 */
import { createServer } from "node:net";
import type { Server } from "../../contract/server.ts";
import type { Tool } from "../../contract/tool.ts";
import type { MessageKey } from "../../messages/catalogue.ts";
import { hiddenIn } from "../../protocol/text/hidden.ts";
import { type HubClient, hubAt, listAll } from "../hub-client.ts";
import { findRunningHub, tokenFor } from "../hub-file.ts";
import { type Finding, ill, type Patient, well } from "./finding.ts";

type Say = Patient["say"];

const PATIENCE = { timeoutMs: 5_000 };
const LONGEST_NAME = 64;

export async function checkPort(patient: Patient): Promise<readonly Finding[]> {
  const { say } = patient;
  const { host, port, dataDir } = patient.serve;
  const url = findRunningHub(dataDir)?.url;
  if (url !== undefined) return [await checkHub(patient, url), ...(await checkSources(patient, url))];
  const problem = await bindProblem(host, port);
  if (problem === undefined) return [well(say("cli.doctor.portFree", { host, port }))];
  if (problem !== "EADDRINUSE") {
    return [ill(say("cli.doctor.portClosed", { host, port, reason: problem }), say("cli.doctor.portAdvice"))];
  }
  const ms = await answerTime(patient, urlOf(host, port));
  if (ms !== undefined) return [well(say("cli.doctor.otherHub", { url: urlOf(host, port), ms }))];
  return [ill(say("cli.doctor.portTaken", { host, port }), say("cli.doctor.portAdvice"))];
}

async function checkHub(patient: Patient, url: string): Promise<Finding> {
  const ms = await answerTime(patient, url);
  if (ms !== undefined) return well(patient.say("cli.doctor.hub", { url, ms }));
  return ill(patient.say("cli.doctor.hubSilent", { url }), patient.say("cli.doctor.hubAdvice"));
}

/** What the hub itself says of its sources. */
async function checkSources({ key, serve, say }: Patient, url: string): Promise<readonly Finding[]> {
  const hub = hubAt(url, key ?? tokenFor(serve.dataDir, url), serve.language);
  const servers = await listOr(hub.api.listServers({}, PATIENCE));
  const tools = await listOr(hub.api.listAllTools({}, PATIENCE));
  return [
    ...failing(servers, say),
    ...leftOut(tools, say),
    ...hiddenInTools(tools, say),
    ...(await hiddenElsewhere(hub, servers, say)),
  ];
}

async function listOr<T>(answer: Promise<readonly T[]>): Promise<readonly T[]> {
  const list = await answer.catch(() => []);
  return Array.isArray(list) ? list : [];
}

function failing(servers: readonly Server[], say: Say): readonly Finding[] {
  const ills = servers.filter(({ state }) => state === "broken" || state === "waiting");
  return ills.map(({ name, lastError }) => {
    return ill(say("cli.doctor.sourceFails", { name, reason: lastError ?? "?" }), say("cli.doctor.sourceAdvice"));
  });
}

/** Tools that servers list and that nobody is offered. */
function leftOut(tools: readonly Tool[], say: Say): readonly Finding[] {
  return tools.flatMap(({ name, serverName, quarantine }) => {
    if (quarantine === undefined) return [];
    const params = { tool: name.slice(0, LONGEST_NAME), name: serverName, reason: quarantine };
    return [ill(say("cli.doctor.toolLeftOut", params), say("cli.doctor.toolAdvice", params))];
  });
}

/** In milliseconds; undefined if nobody answers, or somebody who is no hub. */
async function answerTime({ key, serve }: Patient, url: string): Promise<number | undefined> {
  const startedAt = performance.now();
  try {
    const health = await hubAt(url, key, serve.language).get("/health", PATIENCE);
    const isHub = typeof (health as { version?: unknown }).version === "string";
    return isHub ? Math.max(1, Math.round(performance.now() - startedAt)) : undefined;
  } catch {
    return undefined;
  }
}

/** The system's code for why the address cannot be had; the port is given back at once. */
function bindProblem(host: string, port: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const server = createServer();
  server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  return promise;
}

function urlOf(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Definitions with characters that people cannot see, but a model reads. */
function hiddenInTools(tools: readonly Tool[], say: Say): readonly Finding[] {
  return tools.flatMap(({ name, serverName, hidden = [] }) =>
    findings(hidden, "cli.doctor.toolHidden", { tool: name.slice(0, LONGEST_NAME), name: serverName }, say),
  );
}

/** The same in the names that servers were given, and in what they offer beside tools. */
async function hiddenElsewhere(hub: HubClient, servers: readonly Named[], say: Say): Promise<readonly Finding[]> {
  const lists = [
    { key: "cli.doctor.serverHidden", all: servers.map(({ name, description }) => ({ name, description })) },
    { key: "cli.doctor.agentHidden", all: await listOr(hub.api.listAgents({}, PATIENCE)) },
    { key: "cli.doctor.promptHidden", all: await listed(hub, "prompts") },
    { key: "cli.doctor.resourceHidden", all: await listed(hub, "resources") },
    { key: "cli.doctor.resourceHidden", all: await listed(hub, "resources/templates", "resourceTemplates") },
  ] as const;
  return lists.flatMap(({ key, all }) =>
    all.flatMap((one) => findings(hiddenIn(one), key, { name: String(one.name).slice(0, LONGEST_NAME) }, say)),
  );
}

interface Named {
  readonly name: string;
  readonly description?: unknown;
}

/** An older hub may not have the list. */
async function listed(hub: HubClient, ...list: [kind: string, member?: string]): Promise<readonly Named[]> {
  return (await listAll(hub, ...list).catch(() => [])) as readonly Named[];
}

function findings(
  hidden: readonly string[],
  key: MessageKey,
  params: Readonly<Record<string, string>>,
  say: Say,
): readonly Finding[] {
  if (hidden.length === 0) return [];
  return [ill(say(key, { ...params, characters: hidden.join(", ") }), say("cli.doctor.hiddenAdvice"))];
}
