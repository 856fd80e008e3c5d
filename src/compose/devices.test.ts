import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LIMITED, LOCAL, PLAIN } from "../../test/support/registry-ports.ts";
import type { Principal } from "../core/call.ts";
import { LocalOwners } from "../core/shared/owners.ts";
import type { DeviceChannel } from "../sources/device/channel.ts";
import { type DirectoryHub, SourceDirectory } from "../sources/directory.ts";
import { Devices, deviceName } from "./devices.ts";

function hall() {
  const attached = new Map<string, DeviceChannel>();
  const [notes, entries]: [string[], string[]] = [[], []];
  const devices = new Devices({
    attach: async (name, channel) => void attached.set(name, channel),
    detach: async (name) => void attached.delete(name),
    enter: async (name, tools) => void entries.push(`+${name} ${tools.length}`),
    leave: async (name) => void entries.push(`-${name}`),
    note: (text) => void notes.push(text),
    report: (cause) => assert.fail(String(cause)),
  });
  const arrive = (id: string, principal: Principal = LOCAL) => {
    const closed: string[] = [];
    const welcomed = devices.welcome({ id, principal, send: () => true, close: (reason) => closed.push(reason) });
    return { welcomed, closed };
  };
  return { devices, attached, notes, entries, arrive };
}

/** What rests between two writes takes its time. */
async function settled(isSo: () => boolean): Promise<void> {
  for (let turns = 0; turns < 5_000 && !isSo(); turns++) await sleep(1);
  assert.ok(isSo());
}

describe("devices that dialled in", () => {
  it("are sources while their sockets live", () => {
    const { attached, arrive } = hall();
    const { welcomed } = arrive("AA:BB");
    assert.deepEqual([...attached.keys()], ["device-aa-bb"]);
    welcomed?.left("it hung up");
    assert.deepEqual([...attached.keys()], []);
  });

  it("give way to their own next socket, and its end is not theirs", () => {
    const { attached, arrive } = hall();
    const first = arrive("AA:BB");
    const second = arrive("aa-bb");
    assert.deepEqual(first.closed, ["another connection of this device has come"]);
    first.welcomed?.left("it hung up");
    assert.deepEqual([...attached.keys()], ["device-aa-bb"]);
    second.welcomed?.left("it hung up");
    assert.deepEqual([...attached.keys()], []);
  });

  it("leave nothing behind when they hang up while they are attached", async () => {
    const attached = new Set<string>();
    const seen: string[] = [];
    const slow = Promise.withResolvers<void>();
    const attach = async (): Promise<void> => {
      await slow.promise;
      seen.push("device-aa-bb");
      attached.add("device-aa-bb");
    };
    const hub: DirectoryHub = {
      replace: async (_name, again) => again(),
      move: async (_name, again) => again(),
      detach: async (name) => void attached.delete(name),
    };
    const directory = new SourceDirectory(hub, new LocalOwners());
    const devices = new Devices({
      attach: (name) => directory.set("device", name, { entry: Symbol(name), attach }),
      detach: (name, isAway) => directory.remove("device", name, isAway),
      enter: async () => {},
      leave: async () => {},
      note: () => {},
      report: (cause) => assert.fail(String(cause)),
    });
    const welcomed = devices.welcome({ id: "AA:BB", principal: LOCAL, send: () => true, close: () => {} });
    await sleep(1);
    welcomed?.left("it hung up");
    slow.resolve();
    await settled(() => seen.length === 1 && attached.size === 0);
  });

  it("cannot take the place of somebody else's", () => {
    const { attached, arrive, notes } = hall();
    const first = arrive("AA:BB", PLAIN);
    const channel = attached.get("device-aa-bb");
    assert.equal(arrive("AA:BB", LOCAL).welcomed, undefined);
    assert.deepEqual([first.closed, attached.get("device-aa-bb") === channel, notes.length], [[], true, 1]);
  });

  it("offer nothing under a key that is limited to some tools", () => {
    const { attached, arrive } = hall();
    assert.ok(arrive("AA:BB", LIMITED).welcomed);
    assert.equal(attached.size, 0);
  });

  it("stand in the registry, unless they have left before that was written", async () => {
    const { devices, arrive, entries } = hall();
    const one = arrive("one");
    devices.listed("device-one", []);
    await settled(() => entries.length === 1);
    const two = arrive("two");
    devices.listed("device-two", []);
    two.welcomed?.left("it hung up");
    one.welcomed?.left("it hung up");
    await settled(() => entries.length === 3);
    assert.deepEqual(entries, ["+device-one 0", "-device-two", "-device-one"]);
  });
});

describe("devices that several nodes share", () => {
  function sharing(principalOf: (name: string) => string | undefined = () => undefined) {
    const [said, closed, detached]: [string[], string[], string[]] = [[], [], []];
    const devices = new Devices({
      attach: async () => {},
      detach: async (name) => void detached.push(name),
      enter: async () => {},
      leave: async (name) => void said.push(`unmirrored ${name}`),
      note: () => {},
      report: (cause) => assert.fail(String(cause)),
      shared: {
        principalOf,
        dialled: (name, principalId, isNamed) =>
          said.push(`dialled ${name} ${principalId}${isNamed ? "" : " unnamed"}`),
        hungUp: (name) => said.push(`hung up ${name}`),
        listed: (name) => said.push(`listed ${name}`),
      },
    });
    const arrive = (id: string) =>
      devices.welcome({ id, principal: LOCAL, send: () => true, close: (reason) => closed.push(reason) });
    return { devices, arrive, said, closed, detached };
  }

  it("are told of from their hello to their leaving", () => {
    const { devices, arrive, said } = sharing();
    const welcomed = arrive("one");
    devices.listed("device-one", []);
    devices.listed("device-two", []);
    welcomed?.left("it hung up");
    assert.deepEqual(said, [`dialled device-one ${LOCAL.id}`, "listed device-one", "hung up device-one"]);
  });

  it("are told of under a name that no other has where they do not say who they are", () => {
    const { arrive, said } = sharing();
    const welcomed = [arrive(""), arrive("")];
    for (const one of welcomed) one?.left("it hung up");
    assert.match(said.join(), new RegExp(`^(?:dialled device-\\S+ ${LOCAL.id} unnamed,){2}hung up \\S+,hung up \\S+$`));
    assert.equal(new Set(said.map((line) => /device-\S+/.exec(line)?.[0])).size, 2);
  });

  it("cannot take the place of somebody else's at another node", () => {
    assert.equal(sharing(() => "key:other").arrive("one"), undefined);
    assert.ok(sharing(() => LOCAL.id).arrive("one"));
  });

  it("are let go when they have dialled another node, whose entry in the registry stays", async () => {
    const { devices, arrive, said, closed, detached } = sharing();
    const welcomed = arrive("one");
    said.length = 0;
    devices.dismiss("device-one");
    welcomed?.left("it hung up");
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([said, detached], [[], ["device-one"]]);
    assert.deepEqual(closed, ["another connection of this device has come"]);
  });
});

describe("the entry of a device that comes and goes", () => {
  it("is written once for many changes, as it was left: the last word counts", async () => {
    const { devices, arrive, entries } = hall();
    for (let time = 0; time < 5; time++) {
      const { welcomed } = arrive("one");
      devices.listed("device-one", []);
      if (time < 4) welcomed?.left("it hung up");
    }
    await settled(() => entries.length > 0);
    assert.deepEqual(entries, ["+device-one 0"]);
  });
});

describe("a hall that closes", () => {
  it("writes nothing afterwards", async () => {
    const { devices, arrive, entries } = hall();
    const one = arrive("one");
    devices.listed("device-one", []);
    await devices.close();
    one.welcomed?.left("it hung up");
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(entries, []);
  });
});

describe("the name of a device", () => {
  for (const [id, name] of [
    ["AA:BB:CC:00:11:22", "device-aa-bb-cc-00-11-22"],
    ["kitchen", "device-kitchen"],
  ] as const) {
    it(`${id} is called ${name}`, () => assert.equal(deviceName(id), name));
  }

  it("is one that a server may have, whatever the device says, and not another's", () => {
    const ids = ["客厅", "卧室", "a b", "a\nb", "__", "x".repeat(128), `${"x".repeat(127)}y`, ":::", "../..", "-"];
    const names = ids.map(deviceName);
    for (const name of names) assert.match(name, /^(?!.*__)(?!.*_$)[A-Za-z0-9_.-]{1,64}$/);
    assert.equal(new Set(names).size, ids.length);
    assert.notEqual(deviceName(""), deviceName(""), "those that say nothing are all different");
  });
});
