/**
 * A house in which something goes on, so that pages have something to show: lamps are on, somebody is at home, a program, an
 * API and a server that is away are attached, an agent and keys were made, and calls went well, failed and still run.
 */
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Listening, listen } from "../../peers/support/listening.ts";
import { everything } from "../../peers/support/official-servers.ts";
import { until } from "../../support/processes.ts";
import { RegistryClient } from "../../support/registry-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../../support/spawn-zaguan.ts";

const WEATHER = fileURLToPath(new URL("../../../examples/api-tools/weather.mjs", import.meta.url));

export interface Lively {
  readonly hub: SpawnedZaguan;
  readonly client: RegistryClient;
  /** Of the agent "kitchen". */
  readonly agentKey: string;
  /** Number of the call that is still under way, if server-everything is installed. */
  readonly running: number | undefined;
  close(): Promise<void>;
}

/** The small weather service of the examples, whose document is at `/openapi.yaml`. */
export async function startWeather(): Promise<Listening & { readonly url: string }> {
  const service = await listen([WEATHER, "0"], /http:\/\/\S+/);
  return { ...service, url: /http:\/\/\S+/.exec(service.said())?.[0] ?? "" };
}

/** `port`: where the hub is; any free one otherwise. */
export async function openLively({ port = 0 }: { readonly port?: number } = {}): Promise<Lively> {
  // What was started ends as well where the rest could not be: a process of ours would wait for it.
  await using started = new AsyncDisposableStack();
  const weather = started.adopt(await startWeather(), (server) => server.close());
  const options = {
    args: ["--port", String(port)],
    config: { auth: { allowedCommands: [process.execPath] }, limits: { callSeconds: 600, callMaxSeconds: 600 } },
  };
  const hub = started.adopt(await spawnZaguan(options), (spawned) => spawned.stop());
  const client = new RegistryClient(hub.url);
  await furnish(client);
  await attach(client, weather.url);
  const agentKey = await appoint(client);
  await work(client);
  const running = await startSlow(client);
  started.defer(async () => void (running !== undefined && (await client.delete(`/calls/${running}`))));
  const all = started.move();
  return { hub, client, agentKey, running, close: () => all.disposeAsync() };
}

async function furnish(client: RegistryClient): Promise<void> {
  for (const name of ["salon", "cocina"]) await client.call("/mcp", "set_light_state", { name, on: true });
  await client.done("PUT", "/house/presence", { people: ["Ana", "Luis"] });
}

async function attach(client: RegistryClient, weather: string): Promise<void> {
  await client.done("POST", "/admin/apis", { url: `${weather}/openapi.yaml`, name: "weather" });
  await client.done("POST", "/mcp/servers", { name: "garage", baseUrl: "http://127.0.0.1:9/mcp", authType: "none" });
  await client.post("/mcp/servers/garage/discover");
  if (!hasEverything()) return;
  const { command, args } = everything();
  await client.done("POST", "/mcp/servers", { name: "everything", command, args });
  await client.done("POST", "/mcp/servers/everything/discover");
}

async function appoint(client: RegistryClient): Promise<string> {
  const agent = await client.agent("kitchen", "house__set_light_state", "weather__current_weather");
  await client.patch(`/agents/${agent.id}`, { description: "Talks to whoever cooks" });
  await client.agent("guest", "house__get_presence");
  await client.done("POST", "/keys", { name: "tablet", allow: ["house__*"] });
  await client.done("POST", "/keys", { name: "owner", admin: true });
  return (await client.done("POST", `/agents/${agent.id}/key`)).key;
}

/** Well, with the tool's own word that it failed, and refused. */
async function work(client: RegistryClient): Promise<void> {
  const tablet = client.withKey((await client.done("POST", "/keys", { name: "hall" })).key);
  for (let round = 0; round < 3; round++) {
    await client.call("/mcp", "get_all_states", {});
    await tablet.call("/mcp", "get_presence", {});
    await client.call("/mcp", "current_weather", { q: "Madrid" });
    await tablet.call("/mcp", "forecast", { city: "Lyon", days: 5 });
  }
  await client.call("/mcp", "report", { city: "Lyon", seen: "sunny" });
  await client.call("/mcp", "set_light_state", { name: 7 });
  await client.call("/mcp", "forecast", { city: "Lyon", days: 99 });
  await client.call("/mcp", "set_light_state", { name: "dormitorio", on: true, token: "not to be shown" });
  if (hasEverything()) await client.call("/mcp", "get-sum", { a: 1, b: 2 });
}

async function startSlow(client: RegistryClient): Promise<number | undefined> {
  if (!hasEverything()) return undefined;
  void client.call("/mcp", "trigger-long-running-operation", { duration: 600, steps: 60 }).catch(() => undefined);
  let id: number | undefined;
  const look = async (): Promise<void> => {
    id = ((await client.get("/calls?state=running")).body as readonly { readonly id: number }[])[0]?.id;
  };
  await until("the slow call runs", () => {
    if (id === undefined) void look();
    return id !== undefined;
  });
  return id;
}

function hasEverything(): boolean {
  return existsSync(everything().args[0] ?? "");
}
