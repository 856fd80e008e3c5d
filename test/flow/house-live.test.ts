/**
 * The houses as they are and as they change, over real sockets: `GET /house`, `PUT /house/presence` and what `GET /events`
 * tells of them, whoever makes the change.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { after, afterEach, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assertPrinted, commandsIn } from "../support/document-commands.ts";
import { type SimulatedHome, startHomeAssistant } from "../support/home-assistant/index.ts";
import { WireClient } from "../support/home-assistant/wire/client.ts";
import type { Message } from "../support/line-rpc.ts";
import { LineSession } from "../support/line-session.ts";
import { LiveEvents } from "../support/live-events.ts";
import { until } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { runProgram } from "../support/run-program.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import { askUntil } from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const GUIDE = fileURLToPath(new URL("../../docs/house.md", import.meta.url));
const LAMP = "light.bed_light";
const REGISTRY_EVENTS = ["area", "device", "entity"].map((kind) => `${kind}_registry_updated`);

let home: SimulatedHome;
let hub: SpawnedZaguan;
let http: RegistryClient;
let wire: WireClient;
const open: LiveEvents[] = [];

before(async () => {
  home = await startHomeAssistant();
  hub = await spawnZaguan({ config: configured() });
  http = new RegistryClient(hub.url);
  wire = new WireClient(home);
  await askUntil("the home is connected", async () => (await http.get("/house")).text, isReady);
});
after(async () => {
  wire?.close();
  await hub?.stop();
  await home?.stop();
});
afterEach(() => {
  for (const live of open.splice(0)) live.leave();
});

describe("the simulated house", () => {
  it("is in the greeting and at GET /house as get_all_states has it", async () => {
    const live = await listen();
    const { body } = await http.get("/house");
    const { result } = (await callTool("get_all_states")) as Message;
    assert.deepEqual(body.house, result.structuredContent);
    assert.deepEqual(live.named("hello")[0].house, body.house);
  });

  it("is told whole when a tool changed it", async () => {
    const live = await listen();
    await callTool("set_light_state", { name: "salon", on: true });
    const { house } = await live.next("the lamp is on", "house", (told) => told.house.lights.salon);
    assert.deepEqual(house, (await http.get("/house")).body.house);
  });

  it("is told when another process on the same data folder changed it", async () => {
    const live = await listen();
    const lines = new LineSession(["simulate", "--mcp", "--data", join(hub.folder, "data")], hub.folder);
    try {
      assert.equal(JSON.parse(await lines.next()).type, "ready");
      const call = { type: "call", id: 1, tool: "set_alarm_state", args: { armed: true } };
      const [answer] = await lines.ask(JSON.stringify(call));
      assert.equal(JSON.parse(answer ?? "").ok, true);
      await live.next("the alarm is on", "house", (told) => told.house.alarm);
    } finally {
      await lines.kill();
    }
  });

  it("is told when somebody came, by PUT /house/presence", async () => {
    const live = await listen();
    const house = await http.done("PUT", "/house/presence", { people: ["Ana", "Luis"] });
    assert.deepEqual(house.presence, { present: true, known_people: ["Ana", "Luis"] });
    await live.next("they are there", "house", (told) => told.house.presence.known_people.length === 2);
    live.forget();
    await http.done("PUT", "/house/presence", { people: [] });
    await live.next("nobody is there", "house", (told) => !told.house.presence.present);
    assert.deepEqual((await http.get("/house")).body.house.presence, { present: false, known_people: [] });
  });

  it("is told as gone when the configuration takes it away, and cannot be changed then", async () => {
    const live = await listen();
    hub.writeConfig(configured({ devices: { house: false } }));
    await live.next("it is gone", "house", ({ house }) => house === null);
    assert.equal((await http.get("/house")).body.house, null);
    const { status, body } = await http.send("PUT", "/house/presence", { people: ["Ana"] });
    assert.deepEqual([status, body.code], [404, "NO_HOUSE"]);
    live.forget();
    hub.writeConfig(configured());
    await live.next("it is back", "house", ({ house }) => house !== null);
  });
});

describe("a home", () => {
  it("is in the greeting and at GET /house, by area", async () => {
    const live = await listen();
    const { homes } = (await http.get("/house")).body;
    assert.deepEqual(live.named("hello")[0].homes, homes);
    const [{ name, state, areas, more }] = homes;
    assert.deepEqual([name, state, more], ["madrid", "ready", 0]);
    const names = areas.map((area: Message) => area.name);
    assert.deepEqual(names, ["Bedroom", "Kitchen", "Living Room", ""]);
    const [{ changedUtc, ...lamp }] = areas[0].entities;
    assert.deepEqual(lamp, { id: LAMP, name: "Bed Light", domain: "light", state: "off" });
    assert.ok(Date.parse(changedUtc) > 0);
  });

  it("is told by the entities that changed", async () => {
    const live = await listen();
    await live.next("it is told whole", "home", (told) => told.home !== undefined);
    home.setState(LAMP, "on");
    const isOn = ({ entities = [] }: Message): boolean => entities.some((one: Message) => one.state === "on");
    const { name, entities } = await live.next("the lamp is on", "home", isOn);
    assert.deepEqual([name, entities.map((one: Message) => one.id)], ["madrid", [LAMP]]);
  });

  it("is told whole when an area has another name", async () => {
    const live = await listen();
    await until("we are told of areas", () => REGISTRY_EVENTS.every((type) => home.listeners(type) === 1));
    const socket = await wire.login();
    await socket.result({ type: "config/area_registry/update", area_id: "bedroom", name: "Alcoba" });
    const told = await live.next("it has the new name", "home", hasArea("Alcoba"));
    assert.deepEqual(told.home, (await http.get("/house")).body.homes[0]);
  });

  it("is told whole when it goes away and when it comes back", async () => {
    const live = await listen();
    await live.next("it is there", "home", (told) => told.home?.state === "ready");
    await home.stop();
    const away = await live.next("it is away", "home", (told) => told.home?.state === "broken");
    assert.deepEqual(away.home.areas, []);
    const [shown] = (await http.get("/house")).body.homes;
    assert.deepEqual([shown.name, shown.areas], ["madrid", []]);
    live.forget();
    home = await startHomeAssistant({ port: home.port, token: home.token });
    wire = new WireClient(home);
    await live.next("it is back", "home", hasArea("Bedroom"));
    home.setState(LAMP, "on");
    await live.next("it is followed", "home", ({ entities = [] }) => entities[0]?.state === "on");
  });

  it("is told as it is taken in and taken out of the configuration", async () => {
    const live = await listen();
    hub.writeConfig({});
    await live.next("it is gone", "home", (told) => told.name === "madrid" && told.removed);
    assert.deepEqual((await http.get("/house")).body.homes, []);
    live.forget();
    hub.writeConfig(configured());
    await live.next("it is back", "home", hasArea("Bedroom"));
  });
});

describe("docs/house.md", { skip: process.platform === "win32" && "no sh" }, () => {
  let untouched: SimulatedHome;
  let other: SpawnedZaguan;
  before(async () => {
    untouched = await startHomeAssistant();
    other = await spawnZaguan({ config: configured({}, untouched) });
    await askUntil("the home is connected", async () => (await fetch(`${other.url}/house`)).text(), isReady);
  });
  after(async () => {
    await other?.stop();
    await untouched?.stop();
  });

  for (const { name, script, printed = "" } of commandsIn(GUIDE)) {
    it(name, async () => {
      const words = script.replaceAll("http://127.0.0.1:3003", other.url);
      const { code, stdout } = await runProgram("sh", ["-eu", "-c", words]);
      assert.equal(code, 0, stdout);
      assertPrinted(stdout, printed);
    });
  }
});

describe("who may use some tools only", () => {
  it("sees and hears of the simulated house if a tool of its own tells of it, and of no home", async () => {
    const seen = await listenWith(await keyFor("get_all_states"));
    const blind = await listenWith(await keyFor("get_alarm_status"));
    assert.ok(seen.named("hello")[0].house);
    assert.equal(blind.named("hello")[0].house, null);
    await http.done("PUT", "/house/presence", { people: ["Eva"] });
    home.setState(LAMP, "unavailable");
    await seen.next("she is there", "house", (told) => told.house.presence.present);
    const everything = await listen();
    await everything.next("the home is told to others", "home", (told) => told.home !== undefined);
    assert.deepEqual([...blind.named("house"), ...blind.named("home"), ...seen.named("home")], []);
  });

  it("gets at GET /house what it may, and changes nothing", async () => {
    const client = http.withKey(await keyFor("get_all_states"));
    const { house, homes } = (await client.get("/house")).body;
    assert.ok(house);
    assert.deepEqual(homes, []);
    assert.equal((await client.send("PUT", "/house/presence", { people: ["Eva"] })).status, 403);
    assert.equal((await http.withKey(await keyFor("get_alarm_status")).get("/house")).body.house, null);
  });
});

describe("when nobody listens", () => {
  it("nothing is subscribed to, and the home is asked nothing", async () => {
    const [one, two] = [await listen(), await listen()];
    const counts = (): string => REGISTRY_EVENTS.map((type) => home.listeners(type)).join();
    await until("it is followed once for both", () => counts() === "1,1,1");
    one.leave();
    await http.get("/house");
    assert.equal(counts(), "1,1,1");
    two.leave();
    await until("it is not followed any more", () => counts() === "0,0,0");
    const before = home.commands.length;
    home.setState(LAMP, "on");
    await wire.call("light", "turn_off", { entity_id: LAMP });
    await http.get("/health");
    assert.deepEqual(
      home.commands.slice(before).filter((type) => type !== "ping"),
      [],
    );
  });
});

function isReady(text: string): boolean {
  return text.includes('"state":"ready"');
}

function configured(more: object = {}, { url, token }: SimulatedHome = home): object {
  return { homeAssistant: { madrid: { url, token } }, ...more };
}

async function listen(headers: Readonly<Record<string, string>> = {}): Promise<LiveEvents> {
  const live = await LiveEvents.open(hub.url, headers);
  open.push(live);
  return live;
}

function listenWith(key: string): Promise<LiveEvents> {
  return listen({ authorization: `Bearer ${key}` });
}

function hasArea(name: string): (told: Message) => boolean {
  return (told) => told.home?.areas.some((area: Message) => area.name === name) ?? false;
}

function callTool(name: string, args: object = {}): Promise<Message> {
  const params = { name: `house__${name}`, arguments: args };
  return http.done("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params });
}

let keys = 0;

async function keyFor(tools: string): Promise<string> {
  const folders = ["--data", join(hub.folder, "data")];
  const { stdout, stderr } = await runZaguan(["key", "create", `k${keys++}`, "--tools", tools, ...folders], hub.folder);
  return /zgn_\S+/.exec(stdout)?.[0] ?? assert.fail(stdout + stderr);
}
