import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type SimulatedHome, startHomeAssistant } from "../../../test/support/home-assistant/index.ts";
import { ask, callTool, connectHouse, textOf, untilAsked } from "../../../test/support/open-house.ts";
import { never } from "../../../test/support/supervised.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { Redaction } from "../../security/redaction.ts";
import { Arguments } from "../shared/tool-call.ts";
import type { Connection } from "../source.ts";
import type { House } from "./house.ts";
import { LiveStates } from "./live-states.ts";
import { getHistory } from "./reading-tools.ts";

interface Shown {
  readonly entity_id: string;
  readonly state: string;
  readonly friendly_name: string;
  readonly last_updated: string;
}

let home: SimulatedHome;
let house: Connection;

before(async () => {
  home = await startHomeAssistant({ entities: 60 });
  house = (await connectHouse(home)).connection;
});

after(async () => {
  await house.close();
  await home.stop();
});

describe("get_entities", () => {
  it("tells in the seed's words how many there are, and shows the first fifty", async () => {
    const result = await callTool(house, "get_entities");
    const { total, entities } = result.structuredContent as { total: number; entities: Shown[] };
    assert.equal(entities.length, 50);
    assert.ok(total > 60);
    assert.equal(textOf(result), `Trouvé ${total} entités:\n\n${JSON.stringify({ total, entities }, null, 2)}`);
    assert.deepEqual(Object.keys(entities[0] ?? {}), ["entity_id", "state", "friendly_name", "last_updated"]);
    assert.equal(result.isError, false);
  });

  it("filters by domain, and knows the words for no filter", async () => {
    const lights = (await callTool(house, "get_entities", { domain: "light" })).structuredContent as {
      entities: Shown[];
    };
    assert.ok(lights.entities.every(({ entity_id }) => entity_id.startsWith("light.")));
    const lamp = lights.entities.find(({ entity_id }) => entity_id === "light.salon_lamp");
    assert.equal(lamp?.friendly_name, "Lampe Salon");
    const totals = await Promise.all(
      ["all", "tous", "", undefined, null].map(async (domain) => {
        return (await callTool(house, "get_entities", { domain })).structuredContent?.["total"];
      }),
    );
    assert.equal(new Set(totals).size, 1);
    assert.equal((await callTool(house, "get_entities", { domain: "lig" })).structuredContent?.["total"], 0);
  });

  it("searches in ids and names, and shows other parts of the list", async () => {
    const found = (await callTool(house, "get_entities", { search: "LAMPE" })).structuredContent as {
      entities: Shown[];
    };
    assert.deepEqual(
      found.entities.map(({ entity_id }) => entity_id),
      ["light.salon_lamp"],
    );
    const extra = (offset: number, limit: number) =>
      callTool(house, "get_entities", { search: "sensor.extra_", offset, limit });
    const page = (await extra(58, 10)).structuredContent as { total: number; entities: Shown[] };
    assert.deepEqual([page.total, page.entities.length], [60, 2]);
  });

  it("says how many of all it shows, and how the rest is had", async () => {
    const { content, structuredContent } = await callTool(house, "get_entities", {}, "en");
    const { total, ...part } = structuredContent as { total: number; entities: object };
    const note = `50 of ${total} entities are shown. The next ones: offset 50. To narrow down: domain, search, area, state.`;
    assert.deepEqual(content.slice(1), [{ type: "text", text: note }]);
    assert.deepEqual({ ...part, entities: [] }, { entities: [], shown: 50, next_offset: 50, note });
    const last = await callTool(house, "get_entities", { offset: total - 1 }, "en");
    assert.equal(last.structuredContent?.["note"], `1 of ${total} entities are shown.`);
    const all = await callTool(house, "get_entities", { limit: 1_000 });
    assert.deepEqual([all.content.length, Object.keys(all.structuredContent ?? {})], [1, ["total", "entities"]]);
  });

  it("finds those in which all words occur, that are in a state, or in an area by id or name", async () => {
    const found = async (args: object): Promise<string[]> => {
      const { entities } = (await callTool(house, "get_entities", args)).structuredContent as { entities: Shown[] };
      return entities.map(({ entity_id }) => entity_id);
    };
    assert.deepEqual(await found({ search: "lamp light" }), ["light.salon_lamp"]);
    assert.deepEqual(await found({ domain: "light", state: "On" }), ["light.ceiling_lights", "light.kitchen_lights"]);
    for (const area of ["living_room", "Living Room", "LIVING room "]) {
      assert.deepEqual(await found({ area, domain: "light" }), ["light.ceiling_lights"]);
    }
    const unknown = await callTool(house, "get_entities", { area: "Attic" }, "en");
    assert.equal(textOf(unknown), "Error while running get_entities: area 'Attic' not found");
    assert.match(
      unknown.content[1]?.text ?? "",
      /Living Room \(living_room\), Kitchen \(kitchen\), Bedroom \(bedroom\)/,
    );
  });

  it("names the domains that there are, where nothing fits", async () => {
    const { content, isError } = await callTool(house, "get_entities", { domain: "lamps" }, "en");
    assert.match(content[1]?.text ?? "", /domains: .*light, sensor, switch/);
    assert.equal(isError, false);
  });

  it("shows what changed without being asked twice", async () => {
    home.setState("sensor.temperature_salon", "30.5");
    await untilAsked("the change is here", async () => {
      const { entities } = (await callTool(house, "get_entities", { search: "temperature_salon" }))
        .structuredContent as { entities: Shown[] };
      return entities[0]?.state === "30.5";
    });
  });

  it("refuses arguments that make no sense, as the hub would", async () => {
    for (const args of [{ limit: 0 }, { limit: 1_001 }, { offset: -1 }, { domain: 7 }, { search: [] }]) {
      await assert.rejects(callTool(house, "get_entities", args), { code: "INVALID_ARGUMENT" });
    }
  });
});

describe("get_entity_state", () => {
  it("shows all of one entity", async () => {
    const result = await callTool(house, "get_entity_state", { entity_id: "light.salon_lamp" });
    assert.deepEqual(JSON.parse(textOf(result)), result.structuredContent);
    assert.equal(result.structuredContent?.["entity_id"], "light.salon_lamp");
    assert.match(textOf(result), /"friendly_name": "Lampe Salon"/);
  });

  it("says which entity there is not, in every language", async () => {
    const result = await callTool(house, "get_entity_state", { entity_id: "light.no" });
    assert.equal(result.isError, true);
    assert.equal(textOf(result), "Erreur lors de l'exécution de get_entity_state: entité 'light.no' introuvable");
    const english = await callTool(house, "get_entity_state", { entity_id: "light.no" }, "en");
    assert.equal(textOf(english), "Error while running get_entity_state: entity 'light.no' not found");
    for (const entity_id of ["__proto__", "constructor"]) {
      assert.equal((await callTool(house, "get_entity_state", { entity_id })).isError, true);
    }
    await assert.rejects(callTool(house, "get_entity_state", {}), { code: "INVALID_ARGUMENT" });
  });

  it("shows names of any kind as they are", async () => {
    const odd = JSON.parse('{"friendly_name":"Ñandú 🏠 {json} $&","__proto__":{"state":"forged"},"constructor":"c"}');
    home.setState("sensor.odd", "ok", odd);
    await untilAsked(
      "it is here",
      async () => !(await callTool(house, "get_entity_state", { entity_id: "sensor.odd" })).isError,
    );
    const text = textOf(await callTool(house, "get_entity_state", { entity_id: "sensor.odd" }));
    assert.match(text, /"friendly_name": "Ñandú 🏠 \{json\} \$&"/);
    assert.match(text, /"__proto__": \{\s*"state": "forged"/);
    const list = textOf(await callTool(house, "get_entities", { search: "sensor.odd" }));
    assert.match(list, /"state": "ok",\s*"friendly_name": "Ñandú 🏠 \{json\} \$&"/);
  });
});

describe("get_services", () => {
  it("names them by domain, and shows one domain with its fields", async () => {
    const result = await callTool(house, "get_services");
    const { services } = result.structuredContent as { services: Record<string, string[]> };
    assert.ok(services["light"]?.includes("turn_on"));
    assert.equal(textOf(result), `Services disponibles:\n\n${JSON.stringify(services, null, 2)}`);
    const light = (await callTool(house, "get_services", { domain: "light" })).structuredContent as {
      services: Record<string, Record<string, { fields?: object }>>;
    };
    assert.deepEqual(Object.keys(light.services), ["light"]);
    assert.equal(typeof light.services["light"]?.["turn_on"]?.fields, "object");
    assert.deepEqual(light.services["light"]?.["turn_on"]?.fields, {
      brightness: {
        description: "Number indicating brightness, where 0 turns the light off and 255 is the maximum brightness.",
        values: "0–255",
      },
      brightness_pct: {
        description: "Number indicating the percentage of full brightness, where 0 turns the light off.",
        values: "0–100 %",
      },
    });
    const none = await callTool(house, "get_services", { domain: "__proto__" }, "es");
    assert.match(none.content[1]?.text ?? "", /^Dominios que tienen servicios: .*light/);
    assert.equal(textOf(none), "Error al ejecutar get_services: no hay servicios del dominio '__proto__'");
  });
});

describe("get_services of one domain", () => {
  it("is a line for each service and one for its fields", async () => {
    const text = textOf(await callTool(house, "get_services", { domain: "light" }, "en"));
    assert.ok(
      text.includes("\nlight.turn_on (acts on light): Turns on one or more lights.\n  brightness (0–255), "),
      text,
    );
    const weather = textOf(await callTool(house, "get_services", { domain: "weather" }, "en"));
    assert.ok(weather.endsWith("\n  type (required; daily | hourly | twice_daily)"), weather);
  });

  it("tells of one service all that Home Assistant says", async () => {
    const { structuredContent } = await callTool(house, "get_services", { domain: "light", service: "turn_on" });
    const { services } = structuredContent as { services: { light: { turn_on: { fields: object } } } };
    assert.deepEqual(Object.keys(services.light), ["turn_on"]);
    assert.match(JSON.stringify(services.light.turn_on.fields), /"selector":\{"number":\{"min":0,"max":255\}\}/);
  });

  it("says which services there are, where one is unknown", async () => {
    const result = await callTool(house, "get_services", { domain: "light", service: "dim" }, "en");
    assert.equal(textOf(result), "Error while running get_services: service 'light.dim' not found");
    assert.equal(result.content[1]?.text, "Services of light: turn_on, turn_off, toggle.");
  });
});

describe("get_history", () => {
  it("tells in the seed's words what an entity was like", async () => {
    home.setState("sensor.temperature_salon", "31");
    home.setState("sensor.temperature_salon", "32");
    const result = await callTool(house, "get_history", { entity_id: "sensor.temperature_salon" });
    const { states, total } = result.structuredContent as { states: { state: string }[]; total: number };
    assert.equal(textOf(result), `Historique de sensor.temperature_salon (24h):\n\n${JSON.stringify(states, null, 2)}`);
    assert.equal(total, states.length);
    assert.deepEqual(
      states.slice(-2).map(({ state }) => state),
      ["31", "32"],
    );
  });

  it("shows the newest of very many, and says so", async () => {
    for (let i = 0; i < 600; i++) home.setState("sensor.busy", String(i));
    const result = await callTool(house, "get_history", { entity_id: "sensor.busy", hours: 1 });
    const { states, total } = result.structuredContent as { states: { state: string }[]; total: number };
    assert.equal(states.length, 500);
    assert.equal(states.at(-1)?.state, "599");
    assert.ok(textOf(result).endsWith(`Seuls les 500 plus récents sur ${total} sont montrés.`));
  });

  it("goes back an hour at least and thirty days at most", async () => {
    for (const hours of [0, 721, "24"]) {
      const args = { entity_id: "sensor.busy", hours };
      await assert.rejects(callTool(house, "get_history", args), { code: "INVALID_ARGUMENT", delivery: "not_sent" });
    }
  });

  it("says so where nothing is recorded", async () => {
    const states = new LiveStates();
    states.apply({ a: { "sensor.fresh": { s: "7", a: {}, c: "", lc: 1 } } });
    const request = async () => ({ status: 200, bytes: Buffer.from("[]"), isCut: false });
    const site = { request, redaction: new Redaction([]) };
    const args = new Arguments(Payload.ofValue({ entity_id: "sensor.fresh" }), "en");
    const told = await getHistory({ states, site } as unknown as House, { args, language: "en", signal: never });
    assert.equal(told.note, "Nothing is recorded of it in these 24 hours; it is '7' now.");
  });

  it("says which entity there is not, or what else the house has against it", async () => {
    assert.match(textOf(await callTool(house, "get_history", { entity_id: "sensor.nobody_knows" })), /introuvable/);
    const odd = await callTool(house, "get_history", { entity_id: "a b&end_time=/../x" });
    assert.equal(odd.isError, true);
    const bare = await callTool(house, "get_history", { entity_id: "temperature_salon" }, "en");
    assert.equal(textOf(bare), "Error while running get_history: entity 'temperature_salon' not found");
    assert.match(bare.content[1]?.text ?? "", /^Perhaps meant: sensor\.temperature_salon/);
  });
});

describe("what is no tool of a house", () => {
  it("is an unknown tool, or an unknown method", async () => {
    await assert.rejects(callTool(house, "toString"), { code: "UNKNOWN_TOOL", delivery: "not_sent" });
    await assert.rejects(ask(house, "prompts/list"), { code: "UNKNOWN_METHOD", delivery: "not_sent" });
  });
});
