/** A house of five thousand entities: nothing is asked of it again that it tells by itself. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type SimulatedHome, startHomeAssistant } from "../../../test/support/home-assistant/index.ts";
import { ask, callTool, connectHouse, type Said } from "../../../test/support/open-house.ts";
import { until } from "../../../test/support/processes.ts";
import type { Connection } from "../source.ts";

let home: SimulatedHome;
let house: Connection;
let said: Said[];

before(async () => {
  home = await startHomeAssistant({ entities: 5_000 });
  ({ connection: house, said } = await connectHouse(home));
});

after(async () => {
  await house.close();
  await home.stop();
});

describe("a house of five thousand entities", () => {
  it("answers from its live states, with the house out of reach", async () => {
    await callTool(house, "get_entities");
    const asked = home.commands.length;
    home.mute(true);
    const { structuredContent } = await callTool(house, "get_entities", { domain: "sensor" });
    assert.ok(Number(structuredContent?.["total"]) >= 5_000);
    home.mute(false);
    assert.deepEqual(home.commands.slice(asked), []);
  });

  it("shows a change that it is told of, and asks for nothing", async () => {
    const { connection, said: told } = await connectHouse(home);
    const uri = "hass://entities/sensor.extra_4999";
    await ask(connection, "resources/subscribe", { uri });
    const asked = home.commands.length;
    for (let i = 0; i < 10; i++) {
      home.setState("sensor.extra_4999", `changed ${i}`);
      await until("it is told", () => told.length > i);
      assert.match(JSON.stringify(await ask(connection, "resources/read", { uri })), new RegExp(`changed ${i}\\b`));
    }
    const again = home.commands.slice(asked).filter((command) => /state|entit/.test(command));
    assert.deepEqual(again, []);
    await connection.close();
  });

  it("lists them all as resources", async () => {
    const { resources } = (await ask(house, "resources/list")) as { resources: unknown[] };
    assert.ok(resources.length >= 5_000);
    assert.deepEqual(said, []);
  });
});
