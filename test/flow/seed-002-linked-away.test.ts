/** An agent that is linked to a device's tool: while the device is away, it is told that, and not that there is no such tool. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { dialFirmware, type FirmwareDevice, newDeviceId, tool } from "../support/devices/index.ts";
import { type OpenHub, openHub, sourceNameOf, untilGone, untilListed } from "../support/seed-002.ts";
import { askUntil } from "../support/seed-003.ts";

describe("a device that an agent is linked to", () => {
  const deviceId = newDeviceId();
  const name = "self.say";
  const path = "/agents/mayordomo/mcp";
  let house: OpenHub;
  let device: FirmwareDevice | undefined;
  const dial = (): Promise<FirmwareDevice> =>
    dialFirmware({ url: house.hub.url, deviceId, tools: [tool(name, {}, () => "hola")] });

  before(async () => {
    house = await openHub();
    device = await dial();
    await untilListed(house.http, name);
    const link = (): ReturnType<typeof house.http.get> =>
      house.http.get(`/mcp/tools/${sourceNameOf(deviceId)}__${name}`);
    await askUntil("the registry knows the tool", link, ({ status }) => status === 200);
    await house.http.agent("mayordomo", name);
    assert.equal(await house.http.textOf(path, name, {}), "hola");
    await device.close();
    await untilGone(house.http, name);
  });
  after(async () => {
    await device?.close();
    await house?.hub.stop();
  });

  it("is listed to it while it is away, as it was last seen, and to nobody else", async () => {
    assert.deepEqual(await house.http.names(path), [name]);
    assert.ok(!(await house.http.names("/mcp")).includes(name));
  });

  it("is told to be away, in the words of each door", async () => {
    for (const said of [name, `${sourceNameOf(deviceId)}__${name}`]) {
      const { status, body } = await house.http.call(path, said, {});
      assert.deepEqual([status, body.error.code, body.error.data.code], [503, -32004, "SOURCE_UNAVAILABLE"]);
      assert.equal(body.error.data.delivery, "not_sent");
    }
    assert.equal((await house.http.call(path, "self.shout", {})).body.error.data.code, "UNKNOWN_TOOL");
  });

  it("is used as before when it is back", async () => {
    device = await dial();
    await untilListed(house.http, name);
    assert.deepEqual(await house.http.names(path), [name]);
    assert.equal(await house.http.textOf(path, name, {}), "hola");
  });
});
