/**
 * The simulated Home Assistant speaks the wire of a real one, old and new, and does what tests ask of it beyond that. The
 * statements about the wire are the same that a real one is held to (`npm run test:home-assistant`).
 */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Connection,
  callService,
  createConnection,
  createLongLivedTokenAuth,
  type HassEntities,
  subscribeEntities,
} from "home-assistant-js-websocket";
import { WebSocket } from "ws";
import { type HomeOptions, type SimulatedHome, startHomeAssistant } from "../support/home-assistant/index.ts";
import { until, WireClient } from "../support/home-assistant/wire/client.ts";
import { describeWire } from "../support/home-assistant/wire/index.ts";

const LAMP = "light.salon_lamp";
/** Long enough for an answer to come if there were one; a slow machine only proves less, it never fails. */
const SILENCE_MS = 60;

for (const version of ["2024.3.3", "2026.7.0"]) {
  describe(`like Home Assistant ${version}`, () => {
    let home: SimulatedHome;
    before(async () => {
      home = await startHomeAssistant({ version });
    });
    after(() => home.stop());
    describeWire(() => home);
  });
}

describe("what a test can do with it", () => {
  let home: SimulatedHome;
  let client: WireClient;
  const start = async (options?: HomeOptions) => {
    home = await startHomeAssistant(options);
    client = new WireClient(home);
  };
  beforeEach(() => start());
  afterEach(async () => {
    client.close();
    await home.stop();
  });

  test("it shows every service call that came, by which way, and also a refused one", async () => {
    await client.call("light", "turn_on", { entity_id: LAMP });
    const socket = await client.login();
    const call = { type: "call_service", domain: "light", service: "nope" };
    await socket.failure({ ...call, service_data: { a: 1 }, target: { entity_id: LAMP } });
    assert.deepEqual(home.services, [
      { domain: "light", service: "turn_on", data: { entity_id: LAMP }, target: undefined },
      { domain: "light", service: "nope", data: { a: 1 }, target: { entity_id: LAMP } },
    ]);
    assert.equal(home.state(LAMP)?.state, "on");
  });

  test("a state that is set is told at once, and keeps its attributes unless others are given", async () => {
    const socket = await client.login();
    await socket.result({ type: "subscribe_entities", entity_ids: ["sensor.temperature_salon"] });
    home.setState("sensor.temperature_salon", "22.5");
    home.setState("sensor.temperature_salon", "22.5", { unit_of_measurement: "K" });
    home.removeState("sensor.temperature_salon");
    await socket.next((message) => message.event?.r);
    const changes = socket.messages.flatMap((message) => message.event?.c?.["sensor.temperature_salon"] ?? []);
    assert.equal(changes[0]["+"].s, "22.5");
    assert.deepEqual(changes[1]["-"].a, ["state_class", "device_class", "friendly_name"]);
    assert.equal(home.state("sensor.temperature_salon"), undefined);
  });

  test("what is added this way can be called, what a client wrote cannot; nor what is unavailable", async () => {
    home.setState("switch.new", "off");
    home.setState("switch.ac", "unavailable");
    await client.rest("POST", "/api/states/switch.written", { state: "off" });
    await client.call("switch", "turn_on", { entity_id: ["switch.new", "switch.ac", "switch.written"] });
    const states = ["switch.new", "switch.ac", "switch.written"].map((id) => home.state(id)?.state);
    assert.deepEqual(states, ["on", "unavailable", "off"]);
  });

  test("it cuts every connection, and can be reached again", async () => {
    const socket = await client.login();
    assert.equal(home.connections, 1);
    home.dropSockets();
    assert.equal(await socket.closeCode(), 1006);
    await until("nobody is connected", () => home.connections === 0);
    await client.login();
  });

  test("stopped, it can be started again at the same place", async () => {
    const { port, token } = home;
    await home.stop();
    await assert.rejects(client.rest("GET", "/api/"));
    await start({ port, token });
    assert.equal((await client.rest("GET", "/api/")).status, 200);
  });

  test("as a black hole it takes everything and answers nothing", async () => {
    const open = await client.login();
    await open.result({ type: "subscribe_entities", entity_ids: [LAMP] });
    await open.next((message) => message.event);
    home.mute(true);
    const told = open.frames.length;
    open.give({ type: "ping" });
    home.setState(LAMP, "on");
    const request = client.rest("GET", "/api/").then((answer) => answer.status);
    const fresh = new WebSocket(`${home.url}/api/websocket`);
    fresh.on("error", () => {});
    await until("it was accepted", () => home.connections === 2);
    assert.equal(await Promise.race([request.catch(() => 0), sleep(SILENCE_MS, "silence")]), "silence");
    assert.equal(fresh.readyState, WebSocket.CONNECTING);
    assert.equal(open.frames.length, told);
    fresh.terminate();
    open.close();
    await until("both have left", () => home.connections === 0);
  });

  test("out of the black hole, new connections are served; an old one stays dead", async () => {
    const old = await client.login();
    home.mute(true);
    home.mute(false);
    old.give({ type: "ping" });
    const fresh = await client.login();
    await fresh.ask({ type: "ping" });
    await sleep(SILENCE_MS);
    assert.ok(!old.messages.some((message) => message.type === "pong"));
    assert.equal((await client.rest("GET", "/api/")).status, 200);
  });

  test("a heartbeat of the protocol is answered, but not out of the black hole", async () => {
    const socket = new WebSocket(`${home.url}/api/websocket`);
    const pongs: string[] = [];
    socket.on("pong", (data) => pongs.push(data.toString()));
    await new Promise((resolve) => socket.once("message", resolve));
    socket.ping("one");
    await until("the pong came", () => pongs.length === 1);
    home.mute(true);
    socket.ping("two");
    await sleep(SILENCE_MS);
    assert.deepEqual(pongs, ["one"]);
    socket.terminate();
  });

  test("it can be told never to send arrays", async () => {
    await home.stop();
    await start({ coalesce: false });
    const socket = await client.login();
    await socket.result({ type: "supported_features", features: { coalesce_messages: 1 } });
    socket.give({ type: "subscribe_entities" });
    await socket.next((message) => message.event);
    assert.ok(!socket.frames.some(Array.isArray));
  });

  test("it holds thousands of entities", async () => {
    await home.stop();
    await start({ entities: 6000 });
    const socket = await client.login();
    const states = await socket.result({ type: "get_states" });
    assert.ok(states.length > 6000);
    assert.equal(home.state("sensor.extra_6000")?.attributes["friendly_name"], "Extra 6000");
    assert.equal((await client.rest("GET", "/api/states")).json.length, states.length);
  });

  describe("with the client library of Home Assistant", () => {
    let connection: Connection | undefined;
    afterEach(() => connection?.close());

    test("it logs in, follows entities, calls services, and comes back after a cut", async () => {
      connection = await createConnection({ auth: createLongLivedTokenAuth(home.url, home.token), setupRetry: 0 });
      assert.equal(connection.haVersion, home.version);
      let entities: HassEntities = {};
      subscribeEntities(connection, (now) => {
        entities = now;
      });
      await until("all are known", () => entities[LAMP]?.state === "off");
      await callService(connection, "light", "turn_on", {}, { entity_id: LAMP });
      assert.equal(entities[LAMP]?.state, "on", "its change came before the result");
      assert.equal(entities[LAMP]?.context.user_id, entities["input_boolean.salon"]?.context.user_id);
      await assert.rejects(callService(connection, "light", "nope"), { code: "not_found" });
      home.dropSockets();
      home.setState("sensor.temperature_salon", "30");
      await until("it is back", () => entities["sensor.temperature_salon"]?.state === "30");
    });

    test("a bad token ends it at once", async () => {
      const auth = createLongLivedTokenAuth(home.url, "nonsense");
      await assert.rejects(createConnection({ auth, setupRetry: -1 }), (error) => error === 2);
    });
  });
});
