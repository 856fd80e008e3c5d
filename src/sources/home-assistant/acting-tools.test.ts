import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type SimulatedHome, startHomeAssistant } from "../../../test/support/home-assistant/index.ts";
import { makeError } from "../../../test/support/make-error.ts";
import { callTool, connectHouse, textOf, untilAsked } from "../../../test/support/open-house.ts";
import { never } from "../../../test/support/supervised.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { Arguments } from "../shared/tool-call.ts";
import type { Connection } from "../source.ts";
import { callService } from "./acting-tools.ts";
import type { House } from "./house.ts";
import { LiveStates } from "./live-states.ts";

let home: SimulatedHome;
let house: Connection;

beforeEach(async () => {
  home = await startHomeAssistant();
  house = (await connectHouse(home)).connection;
});

afterEach(async () => {
  await house.close();
  await home.stop();
});

const TURN_ON = { domain: "light", service: "turn_on", entity_id: "light.salon_lamp" };

describe("call_service", () => {
  it("turns a light on, and tells in the seed's words which states changed while it ran", async () => {
    const result = await callTool(house, "call_service", TURN_ON);
    assert.equal(home.state("light.salon_lamp")?.state, "on");
    const { changed_states } = result.structuredContent as { changed_states: { entity_id: string; state: string }[] };
    assert.deepEqual(changed_states.map(({ entity_id, state }) => `${entity_id}=${state}`).sort(), [
      "input_boolean.salon=on",
      "light.salon_lamp=on",
    ]);
    assert.equal(
      textOf(result),
      `Service light.turn_on appelé avec succès.\nRéponse: ${JSON.stringify(changed_states, null, 2)}`,
    );
  });

  it("has the new state at hand as soon as the result is there", async () => {
    await callTool(house, "call_service", TURN_ON);
    const { structuredContent } = await callTool(house, "get_entity_state", { entity_id: "light.salon_lamp" });
    assert.equal(structuredContent?.["state"], "on");
  });

  it("leaves out what others changed meanwhile, by the context of each", async () => {
    const states = new LiveStates();
    states.apply({ a: { [TURN_ON.entity_id]: { s: "on", a: {}, c: "before", lc: 1 } } });
    const command = async (): Promise<unknown> => {
      const by = (c: string): object => ({ s: "on", a: {}, c, lc: 1 });
      states.apply({ a: { "light.ours": by("call"), "light.theirs": by("other") } });
      return { context: { id: "call", parent_id: null, user_id: null } };
    };
    const services = { find: async () => undefined };
    const fake = { name: "madrid", states, line: { command }, services } as unknown as House;
    const args = new Arguments(Payload.ofValue(TURN_ON), "fr");
    const { structured } = await callService(fake, { args, language: "fr", signal: never });
    const { changed_states } = structured as { changed_states: { entity_id: string }[] };
    assert.deepEqual(
      changed_states.map(({ entity_id }) => entity_id),
      ["light.ours"],
    );
  });

  it("says [] where nothing changed", async () => {
    await callTool(house, "call_service", TURN_ON);
    const again = await callTool(house, "call_service", TURN_ON, "es");
    assert.equal(textOf(again), "Servicio light.turn_on llamado con éxito.\nRespuesta: []");
  });

  it("passes on additional data, and asks once", async () => {
    await callTool(house, "call_service", { ...TURN_ON, data: { brightness: 180 } });
    assert.equal(home.services.length, 1);
    const [seen] = home.services;
    assert.deepEqual([seen?.domain, seen?.service], ["light", "turn_on"]);
    assert.match(JSON.stringify(seen?.data), /"brightness":180/);
  });

  it("asks for the response of a service that does nothing but respond", async () => {
    const args = { domain: "weather", service: "get_forecasts", data: { type: "daily" } };
    const { structuredContent: list } = await callTool(house, "get_entities", { domain: "weather" });
    const [weather] = (list as { entities: { entity_id: string }[] }).entities;
    const result = await callTool(house, "call_service", { ...args, entity_id: weather?.entity_id });
    assert.equal(result.isError, false, textOf(result));
    assert.equal(typeof result.structuredContent?.["service_response"], "object");
    assert.match(textOf(result), /"service_response"/);
  });

  it("tells in Home Assistant's own words what it will not do", async () => {
    const unknown = await callTool(house, "call_service", { domain: "light", service: "nope" });
    assert.equal(unknown.isError, true);
    assert.equal(textOf(unknown), "Erreur lors de l'exécution de call_service: Service light.nope not found.");
    assert.equal(unknown.content[1]?.text, "Services de light: turn_on, turn_off, toggle.");
    const wrong = await callTool(house, "call_service", { ...TURN_ON, data: { brightness: "much" } }, "en");
    assert.equal(wrong.isError, true);
    assert.equal(wrong.content[1]?.text, "What it takes: get_services with domain light and service turn_on.");
    const nowhere = await callTool(house, "call_service", { domain: "light", service: "turn_on" }, "en");
    assert.match(nowhere.content[1]?.text ?? "", /^What to act on: entity_id .* area, or target\. What it takes: /);
    const lamp = await callTool(house, "call_service", { domain: "lamp", service: "turn_on" }, "en");
    assert.match(lamp.content[1]?.text ?? "", /^Domains that have services: light, /);
  });

  it("does not know what became of a call whose connection died before the answer", async () => {
    await callTool(house, "get_services");
    home.mute(true);
    const calling = callTool(house, "call_service", TURN_ON);
    const failed = assert.rejects(calling, { code: "OUTCOME_UNKNOWN", delivery: "unknown" });
    home.dropSockets();
    await failed;
    await house.closed;
    await assert.rejects(callTool(house, "call_service", TURN_ON), {
      code: "SOURCE_UNAVAILABLE",
      delivery: "not_sent",
    });
  });

  it("ends when its caller does, and says that it may have run", async () => {
    await callTool(house, "get_services");
    home.mute(true);
    const stop = new AbortController();
    const calling = callTool(house, "call_service", TURN_ON, "en", stop.signal);
    await new Promise(setImmediate);
    stop.abort(makeError("DEADLINE_EXCEEDED", { delivery: "unknown" }));
    await assert.rejects(calling, { code: "DEADLINE_EXCEEDED", delivery: "unknown" });
  });
});

describe("automations", () => {
  const automation = {
    alias: "Soir",
    trigger: [{ platform: "sun", event: "sunset" }],
    action: [{ service: "light.turn_on", target: { entity_id: "light.salon_lamp" } }],
  };

  it("are created, listed, and switched off and on", async () => {
    const created = await callTool(house, "create_automation", { ...automation, description: "le soir" });
    assert.match(textOf(created), /^Automatisation 'Soir' créée avec succès!\n\n\{/);
    const id = String(created.structuredContent?.["id"]);
    assert.equal((home.automations.get(id) as { alias?: string }).alias, "Soir");

    await untilAsked("it is listed", async () =>
      /"friendly_name": "Soir"/.test(textOf(await callTool(house, "list_automations"))),
    );
    const listed = await callTool(house, "list_automations");
    const { automations } = listed.structuredContent as {
      automations: { entity_id: string; id: string; state: string }[];
    };
    const own = automations.find((one) => one.id === id);
    assert.equal(own?.state, "on");
    assert.equal(
      textOf(listed),
      `Trouvé ${automations.length} automatisations:\n\n${JSON.stringify(automations, null, 2)}`,
    );

    const entity = own?.entity_id ?? "";
    const off = await callTool(house, "toggle_automation", { automation_id: id, enable: false });
    assert.ok(textOf(off).startsWith(`Automatisation ${entity} désactivée avec succès!\n\n`));
    assert.equal(home.state(entity)?.state, "off");
    await callTool(house, "toggle_automation", { automation_id: entity.replace("automation.", "") });
    assert.equal(home.state(entity)?.state, "on");
    const again = await callTool(house, "toggle_automation", { automation_id: entity, enable: false }, "zh");
    assert.deepEqual(
      [again.structuredContent?.["entity_id"], again.structuredContent?.["action"]],
      [entity, "disabled"],
    );
  });

  it("are refused in Home Assistant's own words, or ours", async () => {
    const wrong = await callTool(house, "create_automation", { ...automation, trigger: [{ no: "platform" }] });
    assert.equal(wrong.isError, true);
    assert.ok(textOf(wrong).length > "Erreur lors de l'exécution de create_automation: ".length);
    assert.match(wrong.content[1]?.text ?? "", /^Un déclencheur: \{"platform":"sun"/);
    const missing = await callTool(house, "toggle_automation", { automation_id: "automation.never" }, "en");
    assert.equal(textOf(missing), "Error while running toggle_automation: entity 'automation.never' not found");
    const lamp = await callTool(house, "toggle_automation", { automation_id: "light.salon_lamp" }, "en");
    assert.equal(textOf(lamp), "Error while running toggle_automation: entity 'light.salon_lamp' not found");
    await assert.rejects(callTool(house, "create_automation", { alias: "x", trigger: [] }), {
      code: "INVALID_ARGUMENT",
    });
  });
});
