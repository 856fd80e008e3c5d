/** Temperature and humidity at a real hub, from the JSON file that a sensor's daemon writes. From the documents alone. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { ABILITIES, abilities, type OpenHub, openHub, untilListed } from "../support/seed-002.ts";

const TOOL = "environment.get_temperature_humidity";
const READING = {
  timestamp: Math.floor(Date.now() / 1_000),
  humidity: 48,
  temperature: 23,
  unit: { humidity: "%", temperature: "°C" },
};

const folder = mkdtempSync(join(tmpdir(), "zaguan-environment-"));
const file = join(folder, "temperature_humidity.json");
let house: OpenHub;
before(async () => {
  house = await openHub(abilities(ABILITIES.environment(file)));
  await untilListed(house.http, TOOL);
});
after(async () => {
  await house?.hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Whether a failure is also an error is not told; what it says is JSON in any case. */
async function told(): Promise<Message> {
  const { body, text } = await house.http.call("/mcp", TOOL, {});
  assert.equal(body.result?.content?.[0]?.type, "text", text);
  return JSON.parse(body.result.content[0].text);
}

describe(TOOL, () => {
  it("gives what is in the file, and that the service runs", async () => {
    writeFileSync(file, JSON.stringify(READING));
    assert.deepEqual(await told(), { ...READING, service_status: "running" });
  });

  it("gives what is in it now", async () => {
    for (const temperature of [24, -5]) {
      writeFileSync(file, JSON.stringify({ ...READING, temperature }));
      assert.equal((await told()).temperature, temperature);
    }
  });

  for (const [what, content, status] of [
    ["that is no JSON", "{{{", ["json_error"]],
    ["without figures", JSON.stringify({ timestamp: 1 }), ["invalid_format", "no_data"]],
    ["that is no object", "[1,2]", ["invalid_format"]],
    ["that is empty", "", ["no_data", "json_error"]],
  ] as const) {
    it(`says what is wrong with a file ${what}`, async () => {
      writeFileSync(file, content);
      const { error, service_status } = await told();
      assert.match(error, /\S/);
      assert.ok((status as readonly string[]).includes(service_status), service_status);
    });
  }

  it("says that the service has stopped when there is no file", async () => {
    rmSync(file, { force: true });
    const { error, service_status } = await told();
    assert.match(error, /\S/);
    assert.equal(service_status, "stopped");
  });

  it("works again when the file is back", async () => {
    writeFileSync(file, JSON.stringify(READING));
    assert.equal((await told()).service_status, "running");
  });
});
