/**
 * Seed 003 §3 as a test: `POST /mcp/tools/call` with each request that the document prints, in French as it prints the
 * answers, against a simulated Home Assistant. Written from the documents alone. The headers are in
 * `seed-003-headers.test.ts`.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { textIn } from "../support/registry-client.ts";
import {
  askUntil,
  assertBridged,
  assertFigure,
  BridgeClient,
  CALL,
  CALL_ALL,
  CALL_LIGHT,
  CALL_STATE,
  entitiesIn,
  FRENCH,
  type OpenHome,
  openHome,
  toolCall,
} from "../support/seed-003.ts";

const EXTRA = 60;

let house: OpenHome;
let client: BridgeClient;
before(async () => {
  house = await openHome({ home: { entities: EXTRA } });
  client = await BridgeClient.open(house.http);
});
after(() => house?.stop());

/** The whole answer of a call that went well. */
async function called(request: object): Promise<Message> {
  const answer = await client.call(request, FRENCH);
  return assertBridged(answer, (request as { id: unknown }).id);
}

async function textOf(name: string, args: object): Promise<string> {
  return textIn((await called(toolCall("t", name, args))).result);
}

describe("3. Exécution d'Outils: POST /mcp/tools/call", () => {
  it("answers the printed request with every printed field", async () => {
    const { result, bridge_info } = await called(CALL);
    assert.deepEqual(Object.keys(result.content[0]).sort(), ["text", "type"]);
    assert.deepEqual([result.content.length, result.content[0].type, result.isError], [1, "text", false]);
    assertFigure(bridge_info.execution_time_ms, "execution_time_ms");
    assertFigure(bridge_info.queue_wait_ms, "queue_wait_ms");
    assert.deepEqual([bridge_info.session_id, bridge_info.cached], [client.sessionId, false]);
  });

  it("tells the entities of the domain, each with its printed fields", async () => {
    const { total, entities } = entitiesIn(textIn((await called(CALL)).result));
    assert.equal(total, entities.length);
    assert.ok(entities.every(({ entity_id }) => entity_id.startsWith("light.")));
    const lamp = entities.find(({ entity_id }) => entity_id === "light.salon_lamp");
    assert.deepEqual(Object.keys(lamp), ["entity_id", "state", "friendly_name", "last_updated"]);
    assert.deepEqual([lamp.state, lamp.friendly_name], ["off", "Lampe Salon"]);
    assert.ok(!Number.isNaN(Date.parse(lamp.last_updated)), lamp.last_updated);
  });

  it("Récupérer toutes les entités: all of them are counted, the first fifty are told", async () => {
    const { total, entities } = entitiesIn(textIn((await called(CALL_ALL)).result));
    assert.ok(total > EXTRA, String(total));
    assert.equal(entities.length, 50);
  });

  for (const args of [{ domain: "tous" }, { domain: "" }, {}]) {
    it(`${JSON.stringify(args)} filters nothing either`, async () => {
      const everything = entitiesIn(textIn((await called(CALL_ALL)).result));
      assert.equal(entitiesIn(await textOf("get_entities", args)).total, everything.total);
    });
  }

  it("Contrôler une lumière: it is on in the house", async () => {
    const { result, bridge_info } = await called(CALL_LIGHT);
    const [, told = ""] =
      /^Service light\.turn_on appelé avec succès\.\nRéponse: (.+)$/s.exec(textIn(result)) ??
      assert.fail(textIn(result));
    assert.doesNotThrow(() => JSON.parse(told), told);
    assert.deepEqual([result.isError, bridge_info.cached], [false, false]);
    const seen = house.home.services.filter(({ domain, service }) => domain === "light" && service === "turn_on");
    assert.equal(seen.length, 1, "called once");
    assert.match(JSON.stringify(seen[0]), /"brightness":180/);
    assert.match(JSON.stringify(seen[0]), /light\.salon_lamp/);
    assert.equal(house.home.state("light.salon_lamp")?.state, "on");
  });

  it("and what it changed is what the next reading tells", async () => {
    const lamp = async (): Promise<string> =>
      entitiesIn(textIn((await called(CALL)).result)).entities.find(({ entity_id }) => entity_id === "light.salon_lamp")
        ?.state;
    await textOf("call_service", { domain: "light", service: "turn_off", entity_id: "light.salon_lamp" });
    await askUntil("the lamp is off", lamp, (state) => state === "off");
    await called(CALL_LIGHT);
    await askUntil("the lamp is on", lamp, (state) => state === "on");
  });

  it("Obtenir l'état d'une entité: as it is now", async () => {
    house.home.setState("sensor.temperature_salon", "21.5");
    const read = async (): Promise<string> => textIn((await called(CALL_STATE)).result);
    const text = await askUntil("21.5 is read", read, (told) => told.includes("21.5"));
    assert.match(text, /sensor\.temperature_salon/);
    house.home.setState("sensor.temperature_salon", "19.25");
    await askUntil("19.25 is read", read, (told) => told.includes("19.25"));
  });

  it("is a result with isError where the tool itself fails, in the document's words", async () => {
    const { result } = await called(toolCall("t", "get_entity_state", { entity_id: "light.no_such" }));
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, /^Erreur lors de l'exécution de get_entity_state: ./);
  });

  it("is a result with isError where Home Assistant knows no such service", async () => {
    const { result } = await called(toolCall("t", "call_service", { domain: "light", service: "no_such" }));
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, /^Erreur lors de l'exécution de call_service: ./);
  });

  it("speaks the language that is asked for", async () => {
    const spoken = new Set<string>();
    for (const language of ["en", "es", "fr", "zh"]) {
      const { body } = await client.call(CALL, { "accept-language": language });
      spoken.add(textIn(body.result).split("\n")[0] ?? "");
    }
    assert.equal(spoken.size, 4, [...spoken].join(" / "));
  });
});

describe("the other tools of the server", () => {
  it("get_history says of which entity and how many hours", async () => {
    const entity_id = "sensor.temperature_salon";
    assert.match(await textOf("get_history", { entity_id }), /^Historique de sensor\.temperature_salon \(24h\):/);
    assert.match(
      await textOf("get_history", { entity_id, hours: 2 }),
      /^Historique de sensor\.temperature_salon \(2h\):/,
    );
  });

  it("get_services lists what can be called", async () => {
    const text = await textOf("get_services", {});
    assert.match(text, /^Services disponibles:/);
    assert.match(text, /turn_on/);
  });

  it("create_automation, list_automations and toggle_automation work on the house", async () => {
    const before = house.home.automations.size;
    const trigger = [{ platform: "state", entity_id: "input_boolean.salon", to: "on" }];
    const action = [{ service: "light.turn_on", target: { entity_id: "light.salon_lamp" } }];
    await textOf("create_automation", { alias: "Lampe du soir", trigger, action });
    assert.equal(house.home.automations.size, before + 1);
    assert.match(JSON.stringify([...house.home.automations.values()].at(-1)), /Lampe du soir/);
    const list = (): Promise<string> => textOf("list_automations", {});
    const listed = await askUntil("it is listed", list, (text) => text.includes("Lampe du soir"));
    const [automation_id] = /automation\.\w+/.exec(listed) ?? assert.fail(listed);
    await textOf("toggle_automation", { automation_id, enable: false });
    assert.match(JSON.stringify(house.home.services.at(-1)), /"automation".*"turn_off"/);
    await textOf("toggle_automation", { automation_id });
    assert.match(JSON.stringify(house.home.services.at(-1)), /"automation".*"turn_on"/);
  });
});

describe("beside Home Assistant", () => {
  it("the simulated house is called in the same way", async () => {
    const { result, bridge_info } = await called(toolCall(7, "get_presence", {}));
    assert.match(textIn(result), /present/);
    assert.equal(bridge_info.session_id, client.sessionId);
  });

  it("ids come back as they were", async () => {
    for (const id of [0, "", "req-12345", 9_007_199_254_740_991]) await called(toolCall(id, "get_presence", {}));
  });
});
