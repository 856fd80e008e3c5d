/** Devices that come back, and two that say they are one: the newest socket counts. Written from the documents alone. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { dialFirmware, type FirmwareDevice, newDeviceId, tool } from "../support/devices/index.ts";
import { until } from "../support/processes.ts";
import type { Answered } from "../support/registry-client.ts";
import {
  ChangeWatch,
  type OpenHub,
  openHub,
  reasonIn,
  sourceNameOf,
  untilGone,
  untilListed,
  untilNamed,
} from "../support/seed-002.ts";
import { askUntil } from "../support/seed-003.ts";

let house: OpenHub;
before(async () => {
  house = await openHub();
});
after(() => house?.hub.stop());

let deviceId: string;
beforeEach(() => {
  deviceId = newDeviceId();
});

function dial(says: string, ...more: readonly string[]): Promise<FirmwareDevice> {
  const tools = ["self.say", ...more].map((name) => tool(name, {}, () => says));
  return dialFirmware({ url: house.hub.url, deviceId, tools });
}

/** For a moment neither the old nor the new one may be there. */
async function untilSays(expected: string, name = "self.say"): Promise<void> {
  const call = (): Promise<Answered> => house.http.call("/mcp", name, {});
  await askUntil(`${name} says ${expected}`, call, ({ body }) => body.result?.content?.[0]?.text === expected);
}

/** A device counts as there when its own tools are. */
async function ready(device: FirmwareDevice): Promise<FirmwareDevice> {
  await until("its tools were read", () => device.asked("tools/list").length > 0);
  await untilListed(house.http, "self.say");
  return device;
}

describe("a device that comes back", () => {
  it("while its old socket is still open takes its place", async () => {
    const old = await ready(await dial("old"));
    await untilSays("old");
    const fresh = await dial("new", "self.more");
    await untilListed(house.http, "self.more");
    await until("the old socket is closed", () => old.frames.ending !== undefined);
    await untilSays("new");
    const names = (await house.http.names("/mcp")).filter((name) => name.includes("self.say"));
    assert.deepEqual(names, ["self.say"], "it is there once");
    await fresh.close();
    await untilGone(house.http, "self.say", "self.more");
  });

  it("has the tools that it has now, and clients are told", async () => {
    const watch = await ChangeWatch.open(house.hub.url);
    const old = await ready(await dial("old", "self.gone"));
    await untilListed(house.http, "self.gone");
    const before = watch.count;
    await old.cut();
    const fresh = await dial("new", "self.come");
    await untilListed(house.http, "self.come");
    await untilGone(house.http, "self.gone");
    await watch.more(before);
    await fresh.close();
    watch.leave();
    await untilGone(house.http, "self.say");
  });

  it("has the same name as before", async () => {
    for (const turn of ["first", "second"]) {
      const device = await ready(await dial(turn));
      assert.equal(await house.http.textOf("/mcp", `${sourceNameOf(deviceId)}__self.say`, {}), turn);
      await device.close();
      await untilGone(house.http, "self.say");
    }
  });

  it("many times in a row leaves nothing behind", async () => {
    for (let turn = 0; turn < 20; turn++) await (await ready(await dial(String(turn)))).cut();
    const last = await ready(await dial("last"));
    await untilSays("last");
    assert.equal((await house.http.names("/mcp")).filter((name) => name.includes("self.say")).length, 1);
    await last.close();
    await untilGone(house.http, "self.say");
  });

  it("in the middle of a call: that call fails, nobody does it twice, and the next one works", async () => {
    const hold = Promise.withResolvers<string>();
    const wait = tool("self.wait", {}, () => hold.promise);
    const options = { url: house.hub.url, deviceId, tools: [wait] };
    const old = await dialFirmware(options);
    await untilListed(house.http, "self.wait");
    const answer = house.http.call("/mcp", "self.wait", {});
    await until("it is under way", () => old.asked("tools/call").length === 1);
    const fresh = await dialFirmware(options);
    assert.match(reasonIn(await answer), /\S/);
    assert.equal(fresh.asked("tools/call").length, 0);
    hold.resolve("done");
    await untilSays("done", "self.wait");
    await fresh.close();
    await untilGone(house.http, "self.wait");
  });
});

describe("two devices with one id", () => {
  it("take turns: the newest is served, the other is closed, and the log names them", async () => {
    const devices = [await ready(await dial("one"))];
    for (const says of ["two", "one again", "two again"]) {
      const before = house.logged().length;
      devices.push(await ready(await dial(says)));
      const replaced = devices.at(-2) as FirmwareDevice;
      await until("the older one is closed", () => replaced.frames.ending !== undefined);
      await untilSays(says);
      await untilNamed(house, before, deviceId);
    }
    await devices.at(-1)?.close();
    await untilGone(house.http, "self.say");
  });

  it("that differ only in how the id is written are told apart or not, but both never hang", async () => {
    const lower = await ready(await dial("lower"));
    deviceId = deviceId.toUpperCase();
    const upper = await dial("upper", "self.upper");
    await untilListed(house.http, "self.upper");
    assert.match(await house.http.textOf("/mcp", "self.upper", {}), /upper/);
    await lower.close();
    await upper.close();
    await untilGone(house.http, "self.say", "self.upper");
  });

  it("do not touch a third", async () => {
    const third = await ready(await dial("third"));
    deviceId = newDeviceId();
    const [first, second] = [await dial("first"), await dial("second")];
    await until("the first is closed", () => first.frames.ending !== undefined);
    assert.equal(third.frames.ending, undefined);
    await untilSays("third");
    await second.close();
    await third.close();
    await untilGone(house.http, "self.say");
  });
});
