/** Houses of Home Assistant in a whole hub, from its configuration file to its clients. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { answerTo, type Fields, type McpClient, type Message } from "../../test/support/clients/client.ts";
import { SessionClient } from "../../test/support/clients/session-client.ts";
import { type SimulatedHome, startHomeAssistant } from "../../test/support/home-assistant/index.ts";
import { untilAsked } from "../../test/support/open-house.ts";
import { until } from "../../test/support/processes.ts";
import { type SpawnedZaguan, spawnZaguan } from "../../test/support/spawn-zaguan.ts";

const LAMP = "hass://entities/light.salon_lamp";
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

describe("a hub with a house", () => {
  it("has connected it before anybody asks, and offers its tools and entities", async () => {
    const { home, hub } = await openOne();
    await until("the house is connected", () => home.connections === 1);
    const client = await enter(hub);
    const { tools } = await ask(client, "tools/list");
    const names = (tools as { name: string }[]).map(({ name }) => name);
    assert.equal(names.filter((name) => /^(?:get|call|create|list|toggle)_/.test(name)).length, 8);
    await untilAsked("its entities are listed", async () => JSON.stringify(await listed(client)).includes(LAMP));
    assert.match(JSON.stringify(await ask(client, "resources/read", { uri: LAMP })), /Lampe Salon/);
    const result = await call(client, "call_service", {
      domain: "light",
      service: "turn_on",
      entity_id: "light.salon_lamp",
    });
    assert.equal(result["isError"], false);
    assert.equal(home.state("light.salon_lamp")?.state, "on");
  });

  it("tells those who subscribed of changes, also after the house was away", async () => {
    const { home, hub } = await openOne();
    const client = await enter(hub);
    await client.listen();
    await untilAsked("its entities are listed", async () => JSON.stringify(await listed(client)).includes(LAMP));
    await ask(client, "resources/subscribe", { uri: LAMP });
    const updates = (): number => client.unasked.filter(({ params }) => params?.["uri"] === LAMP).length;
    home.setState("light.salon_lamp", "on");
    await until("the change is told", () => updates() === 1);
    home.dropSockets();
    home.setState("light.salon_lamp", "off");
    await until("the house is connected again", () => home.connections === 1);
    await until("what it did meanwhile is told", () => updates() > 1, 20_000);
    const before = updates();
    home.setState("light.salon_lamp", "on");
    await until("the next change is told", () => updates() > before, 20_000);
  });

  it("shows it by itself, with its own face and in the caller's language", async () => {
    const { hub } = await openOne();
    const client = await enter(hub, "/servers/home-assistant/mcp");
    assert.match(JSON.stringify(await listed(client)), /light\.salon_lamp/);
    const { tools } = await ask(client, "tools/list");
    assert.equal((tools as object[]).length, 8);
    const refused = await answerTo(client.request("tools/call", { name: "get_history", arguments: { hours: 5 } }));
    assert.equal(refused.error?.code, -32602);
  });

  it("answers at once that a house is not there, and lists its tools all the same", async () => {
    const home = await startHomeAssistant();
    await home.stop();
    const hub = await open({ homeAssistant: { url: home.url, token: home.token } });
    const client = await enter(hub);
    const { tools } = await ask(client, "tools/list");
    assert.ok((tools as { name: string }[]).some(({ name }) => name === "get_entities"));
    const answer = await post(hub, "tools/call", { name: "get_entities", arguments: {} });
    assert.equal(answer.error?.code, -32004);
    const read = await post(hub, "resources/read", { uri: LAMP });
    assert.equal(read.error?.code, -32004);
  });

  it("keeps its token out of the log and of all that it shows", async () => {
    const home = await startHomeAssistant();
    cleanups.push(() => home.stop());
    const token = "a-token-that-nobody-may-see";
    const hub = await open({ homeAssistant: { url: home.url, token }, log: { level: "trace" } });
    const answer = await post(hub, "tools/call", { name: "get_entities", arguments: {} });
    assert.match(answer.error?.message ?? "", /refused the token/);
    const shown = await Promise.all(["/health", "/mcp/status", "/mcp/servers"].map((path) => textOf(hub, path)));
    assert.match(hub.stderr(), /refused the token/);
    assert.ok(![hub.stdout(), hub.stderr(), JSON.stringify(answer), ...shown].join("\n").includes(token));
  });
});

describe("a hub with several houses", () => {
  it("has each under its name, and takes up a change of the file", async () => {
    const [madrid, playa] = [await startHomeAssistant(), await startHomeAssistant()];
    cleanups.push(() => Promise.all([madrid.stop(), playa.stop()]));
    const houses = { madrid: entry(madrid), playa: entry(playa) };
    const hub = await open({ homeAssistant: houses });
    await until("both are connected", () => madrid.connections === 1 && playa.connections === 1);
    const client = await enter(hub);
    playa.setState("light.salon_lamp", "on");
    await untilAsked("each has its own states", async () => {
      const states = ["madrid", "playa"].map(async (name) => {
        return JSON.stringify(await ask(client, "resources/read", { uri: `hass://${name}/entities/light.salon_lamp` }));
      });
      const [first = "", second = ""] = await Promise.all(states);
      return first.includes('\\"state\\":\\"off\\"') && second.includes('\\"state\\":\\"on\\"');
    });
    const result = await call(client, "playa__get_entity_state", { entity_id: "light.salon_lamp" });
    assert.equal((result["structuredContent"] as Fields)["state"], "on");

    hub.writeConfig({ devices: { house: false }, homeAssistant: { playa: entry(playa) } });
    await until("one is left", () => madrid.connections === 0 && playa.connections === 1, 20_000);
    hub.writeConfig({ devices: { house: false }, homeAssistant: houses });
    await until("it is back", () => madrid.connections === 1, 20_000);
  });
});

async function openOne(): Promise<{ home: SimulatedHome; hub: SpawnedZaguan }> {
  const home = await startHomeAssistant();
  cleanups.push(() => home.stop());
  return { home, hub: await open({ homeAssistant: entry(home) }) };
}

function entry({ url, token }: SimulatedHome): object {
  return { url, token };
}

async function open(config: object): Promise<SpawnedZaguan> {
  const hub = await spawnZaguan({ config: { devices: { house: false }, ...config } });
  cleanups.push(() => hub.stop());
  return hub;
}

async function enter(hub: SpawnedZaguan, path = "/mcp"): Promise<SessionClient> {
  const client = await SessionClient.open(`${hub.url}${path}`);
  cleanups.push(() => client.leave());
  return client;
}

async function ask(client: McpClient, method: string, params: Fields = {}): Promise<Fields> {
  const { result, error } = await answerTo(client.request(method, params));
  assert.equal(error, undefined);
  return result ?? {};
}

async function listed(client: McpClient): Promise<unknown> {
  return (await ask(client, "resources/list"))["resources"];
}

function call(client: McpClient, name: string, args: Fields): Promise<Fields> {
  return ask(client, "tools/call", { name, arguments: args });
}

/** Without a session, and whatever the status is. */
async function post(hub: SpawnedZaguan, method: string, params: Fields): Promise<Message> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const text = await (await fetch(`${hub.url}/mcp`, { method: "POST", headers, body })).text();
  return JSON.parse(text.startsWith("{") ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? "")) as Message;
}

async function textOf(hub: SpawnedZaguan, path: string): Promise<string> {
  return (await fetch(`${hub.url}${path}`)).text();
}
