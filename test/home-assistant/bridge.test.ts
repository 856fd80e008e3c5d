/**
 * A real Home Assistant turned by our bridge: the whole hub as a process, seed 003's requests, and Home Assistant asked by its
 * own interface what became of them. Then it is killed in the middle of calls and started again. The tests share one house
 * and follow each other.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { HOME_ASSISTANT_VERSION, installed } from "../../scripts/home-assistant.ts";
import { answerTo } from "../support/clients/client.ts";
import { SessionClient } from "../support/clients/session-client.ts";
import type { Message } from "../support/line-rpc.ts";
import { until } from "../support/processes.ts";
import { runProgram } from "../support/run-program.ts";
import {
  askUntil,
  assertBridged,
  assertBridgeError,
  assertFigure,
  CALL,
  CALL_HOUSE,
  CALL_LIGHT,
  timeIn,
  toolCall,
} from "../support/seed-003.ts";
import { BridgedHouse } from "./support/bridged-house.ts";
import { BEHIND_LAMP, holds, LAMP } from "./support/house.ts";
import { describeWithRealHome } from "./support/real-home-only.ts";
import type { State } from "./support/rest.ts";
import { SteadyCaller } from "./support/steady-caller.ts";

const HIGH = { "x-priority": "HIGH" };
const LAMP_URI = `hass://entities/${LAMP}`;
const WORKFLOW = readFileSync(new URL("../support/seed-003-workflow.py", import.meta.url), "utf8");
const PRINTED_ADDRESS = "http://192.168.1.22:3003";
/** How long anybody may be left without an answer while there is no house; a working machine needs a tenth of it. */
const AWAY_LIMIT_MS = 15_000;
const RETURN_LIMIT_MS = 60_000;

describeWithRealHome(`Home Assistant ${HOME_ASSISTANT_VERSION} behind the bridge`, () => {
  const house = new BridgedHouse();
  let mcp: SessionClient | undefined;
  before(() => house.open());
  after(async () => {
    mcp?.leave();
    await house.close();
  });

  async function switchInHouse(to: "on" | "off"): Promise<void> {
    await house.rest.post(`/api/services/light/turn_${to}`, { entity_id: LAMP });
    await isInHouse(LAMP, to);
  }

  /** Asked of Home Assistant, not of us. */
  function isInHouse(entity: string, state: string): Promise<void> {
    return holds(async () => (await house.rest.state(entity)).state === state);
  }

  describe("turned by POST /mcp/tools/call", () => {
    test("switches a light on, with X-Priority: HIGH", async (t) => {
      assert.equal((await house.rest.state(LAMP)).state, "off");
      const startedAt = performance.now();
      const answer = await house.client.call(CALL_LIGHT, HIGH);
      const ms = performance.now() - startedAt;
      const { result, bridge_info } = assertBridged(answer, 2);
      assert.equal((await house.rest.state(LAMP)).state, "on");
      assert.equal(result.isError, false, answer.text);
      const changed: State[] = result.structuredContent.changed_states;
      const shown = changed.map(({ entity_id, state }) => `${entity_id} ${state}`).sort();
      assert.deepEqual(shown, [`${BEHIND_LAMP} on`, `${LAMP} on`]);
      t.diagnostic(`the first call of a new hub: ${ms.toFixed(0)} ms (bridge: ${bridge_info.execution_time_ms} ms)`);
    });

    test("switches it off and on again", async (t) => {
      const times: number[] = [];
      for (const to of ["off", "on", "off", "on", "off"]) {
        const startedAt = performance.now();
        await house.data("call_service", { domain: "light", service: `turn_${to}`, entity_id: LAMP });
        times.push(performance.now() - startedAt);
        await isInHouse(LAMP, to);
      }
      t.diagnostic(`switching: ${times.map((ms) => ms.toFixed(0)).join(", ")} ms`);
    });

    test("hands the service its data", async () => {
      const light = { domain: "light", service: "turn_on", entity_id: "light.bed_light", data: { brightness: 180 } };
      await house.data("call_service", light);
      const { state, attributes } = await house.rest.state("light.bed_light");
      assert.deepEqual([state, attributes?.["brightness"]], ["on", 180]);
    });

    test("runs a service once for each call", async () => {
      for (const n of [-1, -2, -3]) {
        await house.data("call_service", { domain: "shell_command", service: "mark", data: { n } });
      }
      assert.deepEqual(house.ledger.runs(), [-1, -2, -3]);
    });

    test("tells what Home Assistant refuses in its own words", async () => {
      const { isError, content } = await house.result("call_service", { domain: "light", service: "nope" });
      assert.equal(isError, true);
      assert.match(content[0].text, /Service light\.nope not found/);
    });
  });

  describe("looked at by POST /mcp/tools/call", () => {
    test("get_entities: all that there are, and those of a domain", async () => {
      const states = await house.states();
      assert.equal((await house.data("get_entities", { domain: "all" })).total, states.length);
      const lights = states.filter(({ entity_id }) => entity_id.startsWith("light."));
      const { total, entities } = await house.data("get_entities", { domain: "light" });
      assert.equal(total, lights.length);
      assert.deepEqual(brief(entities), brief(lights));
    });

    test("get_entity_state: as Home Assistant has it, context and attributes too", async () => {
      for (const entity of [LAMP, "light.bed_light", "sensor.outside_temperature", "weather.demo_weather_south"]) {
        const { last_changed, last_updated, ...told } = await house.data("get_entity_state", { entity_id: entity });
        const real = (await house.rest.state(entity)) as Message;
        assert.deepEqual(told, untimed(real));
        assertSameMoment(last_changed, real.last_changed);
        assertSameMoment(last_updated, real.last_updated);
      }
    });

    test("get_history: what the lamp went through", async () => {
      const history = (): Promise<Message> => house.data("get_history", { entity_id: LAMP, hours: 1 });
      // It is written every few seconds, and read from what is written.
      const wentOnAndOff = ({ states }: Message): boolean =>
        ["on", "off"].every((wanted) => states.some(({ state }: State) => state === wanted));
      const { entity_id, hours, total, states } = await askUntil("its history is written", history, wentOnAndOff);
      assert.deepEqual([entity_id, hours, total], [LAMP, 1, states.length]);
    });

    test("get_services: the domains that Home Assistant has, one of them with its fields, a service whole", async () => {
      const real = (await house.rest.get("/api/services")).body as { domain: string; services: object }[];
      const domains = Object.keys((await house.data("get_services")).services);
      assert.deepEqual(domains.sort(), real.map(({ domain }) => domain).sort());
      const { light } = (await house.data("get_services", { domain: "light" })).services;
      const own = real.find(({ domain }) => domain === "light")?.services as Message;
      const fieldsOf = (services: Message): object =>
        Object.fromEntries(Object.entries(services).map(([name, { fields }]: Message) => [name, Object.keys(fields)]));
      assert.deepEqual(fieldsOf(light), fieldsOf(own));
      const one = (await house.data("get_services", { domain: "light", service: "turn_on" })).services;
      assert.deepEqual(one, { light: { turn_on: own.turn_on } });
    });
  });

  describe("automations", () => {
    const alias = "Noche en el salón";
    const listed = async (): Promise<Message> => {
      const { automations } = await house.data("list_automations");
      return automations.find((one: Message) => one.friendly_name === alias);
    };

    test("are made, and do what they are for", async () => {
      await switchInHouse("off");
      await house.data("call_service", { domain: "light", service: "turn_off", entity_id: "light.bed_light" });
      const trigger = [{ platform: "state", entity_id: LAMP, to: "on" }];
      const action = [{ service: "light.turn_on", target: { entity_id: "light.bed_light" } }];
      const { id } = await house.data("create_automation", { alias, trigger, action });
      const made = await askUntil("it is listed", listed, (found: Message) => found !== undefined);
      assert.deepEqual([made.id, made.state, made.last_triggered], [id, "on", null]);
      await switchInHouse("on");
      await isInHouse("light.bed_light", "on");
      await askUntil("it is listed as triggered", listed, ({ last_triggered }) => last_triggered !== null);
    });

    test("are switched off and on, really", async () => {
      const { id, entity_id } = await listed();
      await house.data("toggle_automation", { automation_id: entity_id, enable: false });
      assert.equal((await house.rest.state(entity_id)).state, "off");
      assert.equal((await listed()).state, "off");
      await house.data("toggle_automation", { automation_id: id, enable: true });
      assert.equal((await house.rest.state(entity_id)).state, "on");
    });
  });

  describe("entities as resources", () => {
    const updates = (): number => (mcp?.unasked ?? []).filter(isUpdateOfLamp).length;
    const listChanges = (): number => (mcp?.unasked ?? []).filter(isListChange).length;
    const isEmpty = (list: readonly unknown[]): boolean => list.length === 0;

    /** Those that only one of both has. */
    async function strays(): Promise<string[]> {
      const uris = (await resourcesOf(mcp ?? assert.fail("no session"))).filter((uri) => uri.startsWith("hass://"));
      const real = (await house.states()).map(({ entity_id }) => `hass://entities/${entity_id}`);
      return [...uris.filter((uri) => !real.includes(uri)), ...real.filter((uri) => !uris.includes(uri))];
    }

    test("are those of the house, and a list that grows is told of", async () => {
      mcp = await SessionClient.open(`${house.hub.url}/mcp`);
      await mcp.listen();
      await askUntil("they are those of the house", strays, isEmpty);
      const before = listChanges();
      await house.rest.post("/api/states/sensor.just_made", { state: "1" });
      await until("a new list is told of", () => listChanges() > before);
      // That may still have been about the automation that was made above.
      await askUntil("the new one is in it", strays, isEmpty);
    });

    test("are told of when they change in the house itself, and read as they are then", async (t) => {
      await switchInHouse("off");
      await ask("resources/subscribe", { uri: LAMP_URI });
      const before = updates();
      const startedAt = performance.now();
      await house.rest.post("/api/services/light/turn_on", { entity_id: LAMP });
      await until("the change is told", () => updates() > before);
      t.diagnostic(`told after ${(performance.now() - startedAt).toFixed(0)} ms`);
      const { contents } = (await ask("resources/read", { uri: LAMP_URI })) as Message;
      assert.equal(JSON.parse(contents[0].text).state, "on");
    });

    async function ask(method: string, params: Message): Promise<Message> {
      return resultOf(mcp ?? assert.fail("no session"), method, params);
    }
  });

  test("the seed's workflow in Python, unchanged but for the address, switches the lamp on", async () => {
    await switchInHouse("off");
    const found = installed();
    // Home Assistant itself needs httpx, so that its Python has it.
    const python = found.ok ? found.python : assert.fail(found.reason);
    const script = join(house.hub.folder, "workflow.py");
    const run = "\n\nimport asyncio\n\nasyncio.run(main())\n";
    writeFileSync(script, WORKFLOW.replace(PRINTED_ADDRESS, house.hub.url) + run);
    const { code, stdout, stderr } = await runProgram(python, ["-X", "utf8", script]);
    assert.equal(code, 0, stderr);
    const [entities, light] = stdout.split("\n");
    assert.match(entities ?? "", /^Trouvé [1-9]\d* entités$/);
    assert.match(light ?? "", /^Lumière allumée: \{.*'isError': False/);
    await isInHouse(LAMP, "on");
  });

  test("/mcp/status tells of it, and counts its entities as it does itself", async () => {
    const { url, status, last_ping_ms, entities_count } = await house.told();
    assert.deepEqual([url, status], [house.home.url, "connected"]);
    assertFigure(last_ping_ms, "last_ping_ms");
    assert.equal(entities_count, (await house.states()).length);
    const { status: http, body } = await house.health();
    assert.deepEqual([http, body.status, body.dependencies.home_assistant.status], [200, "healthy", "ok"]);
  });

  describe("killed in the middle of calls and started again", () => {
    const caller = new SteadyCaller(house);
    after(() => caller.end());

    test("/health is 503, and tells of the last success", async (t) => {
      caller.begin();
      await until("calls go well", () => caller.with("done").length > 8, RETURN_LIMIT_MS);
      assert.equal((await house.health()).status, 200);
      const isUnderWay = (): boolean => house.ledger.runs().filter((n) => n > 0).length > caller.answered.length;
      await until("a call runs that is not answered yet", isUnderWay);
      const lastSeen = Date.now();
      const killedAt = performance.now();
      await house.home.kill();
      const { body } = await askUntil(
        "it is unhealthy",
        () => house.health(),
        ({ status }) => status === 503,
      );
      t.diagnostic(`unhealthy after ${(performance.now() - killedAt).toFixed(0)} ms`);
      const { status, error, last_success } = body.dependencies.home_assistant;
      assert.deepEqual([body.status, status], ["unhealthy", "error"]);
      assert.ok(["Connection refused", "Unavailable"].includes(error), error);
      assert.ok(Math.abs(timeIn(last_success) - lastSeen) < AWAY_LIMIT_MS, `${last_success} ${lastSeen}`);
      assert.notEqual((await house.told()).status, "connected");
    });

    test("calls end at once with −32004: those under way as unknown, the others as never sent", async (t) => {
      await until("calls fail", () => caller.with("away").length > 8, AWAY_LIMIT_MS);
      assert.notEqual(caller.with("unknown").length, 0);
      for (const request of [CALL, toolCall(3, "get_history", { entity_id: LAMP }), toolCall(3, "get_services", {})]) {
        const startedAt = performance.now();
        assertBridgeError(await house.client.call(request, HIGH), 503, -32004, 3);
        assert.ok(performance.now() - startedAt < AWAY_LIMIT_MS);
      }
      const failed = [...caller.with("away"), ...caller.with("unknown")].map(({ ms }) => ms);
      assert.ok(Math.max(...failed) < AWAY_LIMIT_MS, `one took ${Math.max(...failed)} ms`);
      t.diagnostic(`${failed.length} calls failed, the slowest in ${Math.max(...failed).toFixed(0)} ms`);
      assertBridged(await house.client.call(CALL_HOUSE), 1);
    });

    test("goes on without anybody's doing when Home Assistant is back", async (t) => {
      const startedAt = performance.now();
      await house.home.start();
      const runningAt = performance.now();
      await askUntil(
        "it is healthy",
        () => house.health(),
        ({ status }) => status === 200,
      );
      const healthyAt = performance.now();
      await until("calls go well again", () => caller.with("done", runningAt).length > 8, RETURN_LIMIT_MS);
      const since = (at: number): string => `${(at - startedAt).toFixed(0)} ms`;
      const first = caller.with("done", startedAt)[0]?.at ?? assert.fail();
      t.diagnostic(
        `started: running ${since(runningAt)}, first call done ${since(first)}, seen healthy ${since(healthyAt)}`,
      );
      await askUntil(
        "connected",
        () => house.told(),
        ({ status }) => status === "connected",
      );
      const isCounted = async (): Promise<boolean> =>
        (await house.told()).entities_count === (await house.states()).length;
      await holds(isCounted);
      assertBridged(await house.client.call(CALL), 3);
    });

    test("no call ran twice, and what was told of each is true", async (t) => {
      await caller.end();
      const runs = (n: number): number => house.ledger.runsOf(n);
      const unexpected = caller.answered.filter(({ outcome }) => outcome.startsWith("unexpected"));
      assert.deepEqual(unexpected, []);
      for (const { n } of caller.with("done")) assert.equal(runs(n), 1, `${n} was done`);
      for (const { n } of caller.with("unknown")) assert.ok(runs(n) <= 1, `${n} is unknown`);
      for (const outcome of ["away", "refused"] as const) {
        for (const { n } of caller.with(outcome)) assert.equal(runs(n), 0, `${n} was ${outcome}`);
      }
      const count = (outcome: "done" | "away" | "unknown" | "refused"): string =>
        `${caller.with(outcome).length} ${outcome}`;
      t.diagnostic([count("done"), count("unknown"), count("away"), count("refused")].join(", "));
    });

    test("the light is switched as before, and who listened still hears", async () => {
      await switchInHouse("off");
      const updates = (): number => (mcp?.unasked ?? []).filter(isUpdateOfLamp).length;
      const before = updates();
      assertBridged(await house.client.call(CALL_LIGHT, HIGH), 2);
      await isInHouse(LAMP, "on");
      await until("the change is told", () => updates() > before);
    });
  });
});

function isUpdateOfLamp({ method, params }: Message): boolean {
  return method === "notifications/resources/updated" && params?.uri === LAMP_URI;
}

function isListChange({ method }: Message): boolean {
  return method === "notifications/resources/list_changed";
}

function brief(states: readonly State[]): string[] {
  return states.map(({ entity_id, state }) => `${entity_id} ${state}`).sort();
}

/** It comes as a fraction of seconds over the WebSocket, and as a text over REST. */
function assertSameMoment(told: string, real: string): void {
  assert.ok(Math.abs(timeIn(told) - Date.parse(real)) <= 1, `${told} ${real}`);
}

function untimed({ last_changed: _, last_updated: __, ...rest }: Message): Message {
  return rest;
}

async function resultOf(client: SessionClient, method: string, params: Message): Promise<Message> {
  const { result, error } = await answerTo(client.request(method, params));
  return result ?? assert.fail(JSON.stringify(error));
}

/** All pages. */
async function resourcesOf(client: SessionClient): Promise<string[]> {
  const uris: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await resultOf(client, "resources/list", cursor === undefined ? {} : { cursor });
    uris.push(...page.resources.map(({ uri }: Message) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return uris;
}
