import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LIMITED, LOCAL, PLAIN } from "../../test/support/registry-ports.ts";
import type { Principal } from "../core/call.ts";
import { LocalOwners } from "../core/shared/owners.ts";
import type { DeviceChannel } from "../sources/device/channel.ts";
import { type DirectoryHub, SourceDirectory } from "../sources/directory.ts";
import { memoryDocuments } from "../store/memory-documents.ts";
import type { DocumentTable } from "../store/store.ts";
import { DeviceHolders, MOST_NAMES } from "./device-holders.ts";
import { Devices, deviceName } from "./devices.ts";

const NO_HOLDERS = { of: () => undefined, hasRoom: () => true, keep: async () => {}, read: async () => {} };

/** A hall on a store that may have been used before. */
function hallOn(documents: DocumentTable, entered: string[], keys: { id: string; revokedUtc?: string }[]) {
  const lists = {
    servers: { list: async () => entered.map((name) => ({ name })) },
    keys: { list: async () => keys },
  } as unknown as Pick<ConstructorParameters<typeof DeviceHolders>[0], "servers" | "keys">;
  const notes: string[] = [];
  let isLocal = true;
  const holders = new DeviceHolders({ documents, ...lists, hasLocalUser: () => isLocal });
  const devices = new Devices({
    attach: async () => {},
    detach: async () => {},
    enter: async (name) => void entered.push(name),
    leave: async () => {},
    holders,
    note: (text) => void notes.push(text),
    report: (cause) => assert.fail(String(cause)),
  });
  const arrive = (principal: Principal) =>
    devices.welcome({ id: "one", principal, send: () => true, close: () => {} }) !== undefined;
  const comeAndGo = async (principal: Principal): Promise<void> => {
    const welcomed = devices.welcome({ id: "one", principal, send: () => true, close: () => {} });
    devices.listed("device-one", []);
    await settled(() => holders.of("device-one") !== undefined);
    welcomed?.left("it hung up");
  };
  const lockDown = (): void => {
    isLocal = false;
  };
  return { devices, holders, notes, arrive, comeAndGo, lockDown };
}

function through(documents: DocumentTable): DocumentTable {
  return {
    get: (...args) => documents.get(...args),
    list: (...args) => documents.list(...args),
    put: (...args) => documents.put(...args),
    delete: (...args) => documents.delete(...args),
    update: (...args) => documents.update(...args),
  };
}

describe("the name of a device that is away", () => {
  const KEYS = [{ id: "plain" }, { id: "other" }];
  const OTHER: Principal = { id: "key:other", kind: "key", name: "other" };

  it("is kept for the key that dialled with it, over a restart too", async () => {
    const [documents, entered] = [memoryDocuments(), []];
    const before = hallOn(documents, entered, KEYS);
    await before.comeAndGo(PLAIN);
    assert.deepEqual([before.arrive(OTHER), before.arrive(LOCAL)], [false, false]);
    const after = hallOn(documents, entered, KEYS);
    await after.holders.read();
    assert.deepEqual([after.arrive(OTHER), after.arrive(LOCAL), after.arrive(PLAIN)], [false, false, true]);
  });

  it("is free when that key is revoked", async () => {
    const keys: { id: string; revokedUtc?: string }[] = [{ id: "plain" }, { id: "other" }];
    const { holders, arrive, comeAndGo } = hallOn(memoryDocuments(), [], keys);
    await comeAndGo(PLAIN);
    keys[0] = { id: "plain", revokedUtc: "2026-01-01T00:00:00Z" };
    assert.equal(arrive(OTHER), false);
    await holders.read();
    assert.equal(arrive(OTHER), true);
  });

  it("is free though nothing can be stored, where a hub may have to start", async () => {
    const documents = memoryDocuments();
    await documents.put("device-holders", "device-one", "key:gone");
    const full = { ...through(documents), delete: async () => Promise.reject(new Error("the disk is full")) };
    const { holders, arrive } = hallOn(full, ["device-one"], KEYS);
    await holders.read();
    assert.equal(arrive(OTHER), true);
  });

  it("is free when its entry in the registry is removed", async () => {
    const entered: string[] = [];
    const { holders, arrive, comeAndGo } = hallOn(memoryDocuments(), entered, KEYS);
    await comeAndGo(PLAIN);
    entered.length = 0;
    await holders.read();
    assert.equal(arrive(OTHER), true);
  });

  it("is the local user's as long as there is one", async () => {
    const { holders, arrive, comeAndGo, lockDown } = hallOn(memoryDocuments(), [], KEYS);
    await comeAndGo(LOCAL);
    await holders.read();
    assert.equal(arrive(OTHER), false);
    lockDown();
    await holders.read();
    assert.equal(arrive(OTHER), true);
  });

  it("is its new holder's at every node where nodes free it at the same time", async () => {
    const documents = memoryDocuments();
    const [entered, keys]: [string[], { id: string; revokedUtc?: string }[]] = [[], [{ id: "plain" }, { id: "other" }]];
    const [near, far] = [hallOn(documents, entered, keys), hallOn(documents, entered, keys)];
    await near.comeAndGo(PLAIN);
    keys[0] = { id: "plain", revokedUtc: "2026-01-01T00:00:00Z" };
    const found = await documents.list("device-holders");
    await near.holders.read();
    await near.comeAndGo(OTHER);
    const slow = hallOn({ ...through(documents), list: async () => found }, entered, keys);
    await slow.holders.read();
    await far.holders.read();
    assert.equal(far.holders.of("device-one"), OTHER.id);
  });

  it("is not given away by a node that has not heard of its holder yet", async () => {
    const documents = memoryDocuments();
    const entered: string[] = [];
    const [near, far] = [hallOn(documents, entered, KEYS), hallOn(documents, entered, KEYS)];
    await near.comeAndGo(PLAIN);
    const closed: string[] = [];
    far.devices.welcome({ id: "one", principal: OTHER, send: () => true, close: (reason) => closed.push(reason) });
    far.devices.listed("device-one", []);
    await settled(() => closed.length > 0);
    assert.equal(far.arrive(PLAIN), true);
  });

  it("is looked up again once a second at most, however often others dial with it", async () => {
    let reads = 0;
    const documents = memoryDocuments();
    const list: DocumentTable["list"] = (collection) => {
      reads++;
      return documents.list(collection);
    };
    const { arrive, comeAndGo } = hallOn({ ...through(documents), list }, [], KEYS);
    await comeAndGo(PLAIN);
    const startedAt = performance.now();
    for (let dials = 0; dials < 50; dials++) {
      assert.equal(arrive(OTHER), false);
      await sleep(2);
    }
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
    assert.ok(reads >= 1 && reads <= 1 + seconds, `${reads} in ${seconds} s`);
  });

  it("is one of as many as its key may have: one more is there as long as it is connected, and stands nowhere", async () => {
    const entered: string[] = [];
    const { holders, devices, arrive, notes } = hallOn(memoryDocuments(), entered, KEYS);
    await Promise.all(Array.from({ length: MOST_NAMES }, (_, at) => holders.keep(`device-${at}`, PLAIN.id)));
    assert.deepEqual([holders.hasRoom("device-one", PLAIN.id), holders.hasRoom("device-7", PLAIN.id)], [false, true]);
    assert.equal(holders.hasRoom("device-one", OTHER.id), true);
    assert.equal(arrive(PLAIN), true);
    devices.listed("device-one", []);
    await settled(() => notes.length > 0);
    assert.deepEqual([entered, holders.of("device-one"), devices.has("device-one")], [[], undefined, true]);
  });

  it("is kept of all that come while it is read", async () => {
    const { holders } = hallOn(memoryDocuments(), ["device-a", "device-b"], KEYS);
    await Promise.all([holders.keep("device-a", OTHER.id), holders.read(), holders.keep("device-b", OTHER.id)]);
    assert.deepEqual([holders.of("device-a"), holders.of("device-b")], [OTHER.id, OTHER.id]);
  });
});

function hall() {
  const attached = new Map<string, DeviceChannel>();
  const [notes, entries]: [string[], string[]] = [[], []];
  const devices = new Devices({
    attach: async (name, channel) => void attached.set(name, channel),
    detach: async (name) => void attached.delete(name),
    enter: async (name, tools) => void entries.push(`+${name} ${tools.length}`),
    leave: async (name) => void entries.push(`-${name}`),
    holders: NO_HOLDERS,
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
  for (const end = performance.now() + 60_000; !isSo() && performance.now() < end; ) await sleep(1);
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
      holders: NO_HOLDERS,
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
      holders: NO_HOLDERS,
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
