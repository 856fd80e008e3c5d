/** What call_service is aimed at, before a simulated house: lists, areas, devices, and all that is nowhere. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type SimulatedHome, startHomeAssistant } from "../../../test/support/home-assistant/index.ts";
import { callTool, connectHouse, type ToolResult, textOf } from "../../../test/support/open-house.ts";
import { LANGUAGES } from "../../messages/catalogue.ts";
import type { Connection } from "../source.ts";

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

const OFF = { domain: "light", service: "turn_off" };
const [CEILING, KITCHEN] = ["light.ceiling_lights", "light.kitchen_lights"];

function off(args: object): Promise<ToolResult> {
  return callTool(house, "call_service", { ...OFF, ...args }, "en");
}

function changed({ structuredContent }: ToolResult): string[] {
  const { changed_states } = structuredContent as { changed_states: { entity_id: string; state: string }[] };
  return changed_states.map(({ entity_id, state }) => `${entity_id}=${state}`).sort();
}

/** What is told beside: content's second text. */
function beside({ content }: ToolResult): string {
  return content[1]?.text ?? "";
}

describe("what a service acts on", () => {
  const both = [`${CEILING}=off`, `${KITCHEN}=off`];
  const forms: readonly (readonly [string, object, readonly string[]])[] = [
    ["a list", { entity_id: [CEILING, KITCHEN] }, both],
    ["a text with commas", { entity_id: `${CEILING}, ${KITCHEN}` }, both],
    ["a target", { target: { entity_id: [CEILING, KITCHEN] } }, both],
    ["Home Assistant's data", { data: { entity_id: [CEILING, KITCHEN] } }, both],
    ["every one of the domain", { entity_id: "all" }, both],
    ["an id in capitals", { entity_id: KITCHEN.toUpperCase() }, [`${KITCHEN}=off`]],
    ["an area by its id", { area: "kitchen" }, [`${KITCHEN}=off`]],
    ["an area by its name", { area: "Living Room" }, [`${CEILING}=off`]],
    ["an area in another letter case", { area: "living ROOM" }, [`${CEILING}=off`]],
    ["several areas by name", { area: "Kitchen, Living Room" }, both],
    ["a target's areas by name", { target: { area_id: ["Kitchen", "living_room"] } }, both],
    ["the same in two places", { entity_id: KITCHEN, target: { entity_id: [KITCHEN] } }, [`${KITCHEN}=off`]],
  ];
  for (const [what, args, expected] of forms) {
    it(`may be ${what}`, async () => {
      const result = await off(args);
      assert.equal(result.isError, false, textOf(result));
      assert.deepEqual(changed(result), expected);
      assert.equal(home.services.length, 1);
    });
  }

  it("may be a device", async () => {
    const { target } = (await deviceOf(KITCHEN)) ?? {};
    assert.deepEqual(changed(await off({ target })), [`${KITCHEN}=off`]);
  });

  /** Asked of the house, past us. */
  async function deviceOf(entity: string): Promise<{ target: object } | undefined> {
    const socket = new WebSocket(`${home.url.replace("http", "ws")}/api/websocket`);
    const heard = Promise.withResolvers<{ target: object } | undefined>();
    socket.addEventListener("open", () => {
      socket.send(JSON.stringify({ type: "auth", access_token: home.token }));
      socket.send(JSON.stringify({ id: 1, type: "config/entity_registry/list" }));
    });
    socket.addEventListener("message", ({ data }) => {
      const { result } = JSON.parse(String(data)) as { result?: { entity_id: string; device_id: string }[] };
      const entry = result?.find(({ entity_id }) => entity_id === entity);
      if (entry) heard.resolve({ target: { device_id: entry.device_id } });
    });
    const found = await heard.promise;
    socket.close();
    return found;
  }
});

describe("what a service cannot act on", () => {
  const refused: readonly (readonly [string, object, RegExp, RegExp])[] = [
    [
      "one unknown of a list",
      { entity_id: [KITCHEN, "light.kitchen"] },
      /entity 'light\.kitchen' not found$/,
      /light\.kitchen_lights/,
    ],
    [
      "one that is unknown to a target",
      { target: { entity_id: "light.nope" } },
      /entity 'light\.nope' not found$/,
      /light\.bed_light/,
    ],
    ["one called by its name", { entity_id: "Lampe Salon" }, /entity 'Lampe Salon' not found$/, /light\.salon_lamp/],
    [
      "an unknown area",
      { area: "Garage" },
      /area 'Garage' not found$/,
      /Living Room \(living_room\), Kitchen \(kitchen\)/,
    ],
    ["an unknown device", { target: { device_id: "nope" } }, /device 'nope' not found$/, /entity_id takes entities/],
    [
      "one of another domain",
      { entity_id: "switch.ac" },
      /light\.turn_off does not act on 'switch\.ac', only on: light$/,
      /domain, switch;/,
    ],
    [
      "what is said twice",
      { entity_id: KITCHEN, area: "Living Room" },
      /several places: entity_id, area$/,
      /only one of them/,
    ],
    [
      "what is fixed and said again",
      { entity_id: KITCHEN, data: { area_id: "living_room" } },
      /several places: entity_id, data$/,
      /only one/,
    ],
  ];
  it("is anything beside what is fixed, by whatever name", async () => {
    for (const more of [
      { target: { label_id: "x" } },
      { data: { floor_id: "y" } },
      { target: { area_id: "kitchen" } },
    ]) {
      assert.match(textOf(await off({ entity_id: CEILING, ...more })), /several places/);
    }
    assert.deepEqual(home.services, []);
  });

  for (const [what, args, words, advice] of refused) {
    it(`is told: ${what}, and nothing is done`, async () => {
      const result = await off(args);
      assert.equal(result.isError, true);
      assert.match(textOf(result), words);
      assert.match(beside(result), advice);
      assert.deepEqual(home.services, []);
      assert.equal(home.state(KITCHEN)?.state, "on");
    });
  }

  it("is told in every language, with the name of what was meant", async () => {
    const told = await Promise.all(
      LANGUAGES.map((language) => callTool(house, "call_service", { ...OFF, entity_id: "light.kitchen" }, language)),
    );
    assert.equal(new Set(told.map(beside)).size, LANGUAGES.length);
    for (const result of told) assert.match(beside(result), /light\.kitchen_lights/);
  });

  it("must be text, or a list of texts", async () => {
    for (const args of [{ entity_id: 7 }, { target: { area_id: [7] } }, { data: { entity_id: {} } }]) {
      await assert.rejects(off(args), { code: "INVALID_ARGUMENT", delivery: "not_sent" });
    }
  });
});

describe("what a service left as it was", () => {
  it("is named with its state, where nothing changed", async () => {
    const result = await off({ entity_id: [CEILING, KITCHEN] }).then(() => off({ entity_id: [CEILING, KITCHEN] }));
    const note = `Nothing changed while it ran. Unchanged: ${CEILING} (off), ${KITCHEN} (off).`;
    assert.deepEqual([beside(result), result.structuredContent?.["note"]], [note, note]);
    assert.deepEqual(result.structuredContent?.["changed_states"], []);
  });

  it("is named beside what changed", async () => {
    await off({ entity_id: CEILING });
    assert.equal(beside(await off({ entity_id: [CEILING, KITCHEN] })), `Unchanged: ${CEILING} (off).`);
  });

  it("is nothing, where nothing of its domain stands in an area", async () => {
    const result = await callTool(
      house,
      "call_service",
      { domain: "switch", service: "turn_off", area: "Kitchen" },
      "en",
    );
    assert.equal(beside(result), "Nothing changed while it ran. There is nothing of the domain switch there.");
  });

  it("needs no words where all that was meant has changed", async () => {
    const { content, structuredContent } = await off({ area: "Kitchen" });
    assert.equal(content.length, 1);
    assert.deepEqual(structuredContent, { changed_states: [{ entity_id: KITCHEN, state: "off", was: "on" }] });
  });
});

describe("what changed", () => {
  it("is told with the attributes that are different now, and no others", async () => {
    const args = { domain: "light", service: "turn_on", entity_id: KITCHEN, data: { brightness: 90 } };
    const { structuredContent } = await callTool(house, "call_service", args);
    assert.deepEqual(structuredContent, {
      changed_states: [{ entity_id: KITCHEN, state: "on", attributes: { brightness: 90 } }],
    });
  });
});
