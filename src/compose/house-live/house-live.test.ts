import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { FakeHome, lamp } from "../../../test/support/fake-home.ts";
import { makeSource } from "../../../test/support/make-call.ts";
import { DEFAULT_CONFIG } from "../../config/defaults.ts";
import type { HouseConfig } from "../../config/types.ts";
import type { SourceState } from "../../core/events.ts";
import type { EntityView, HomeChange, HouseLive, HouseView } from "../../doors/live/views.ts";
import type { Thing } from "../../sources/source.ts";
import { memoryDocuments } from "../../store/memory-documents.ts";
import type { DocumentTable } from "../../store/store.ts";
import { makeHouseLive } from "./index.ts";

const HOUSE: HouseConfig = {
  lights: ["salon", "cocina"],
  alarmDefault: false,
  presenceDefault: { present: false, knownPeople: [] },
};
const AT_FIRST = { lights: { salon: false, cocina: false }, alarm: false, presence: nobody() };

let clock: FakeClock;
let documents: DocumentTable;
let house: HouseConfig | false;
let homes: FakeHome[];
let reported: unknown[];
let live: HouseLive;

beforeEach(() => {
  clock = new FakeClock();
  documents = memoryDocuments();
  house = HOUSE;
  homes = [];
  reported = [];
  live = makeHouseLive({
    documents: { ...through(), update: (...args) => documents.update(...args) },
    clock,
    config: () => ({ ...DEFAULT_CONFIG, devices: { ...DEFAULT_CONFIG.devices, house } }),
    sources: () => [makeSource("other"), ...homes.map((home) => home.source)],
    report: (cause) => reported.push(cause),
  });
});

describe("the simulated house", () => {
  it("is as its configuration says, and as it was last changed", async () => {
    assert.deepEqual(plain(await live.house()), AT_FIRST);
    await documents.put("house", "state", { ...AT_FIRST, alarm: true, lights: { salon: true, gone: true } });
    assert.deepEqual(plain(await live.house()), { ...AT_FIRST, alarm: true, lights: { salon: true, cocina: false } });
  });

  it("knows who is in it", async () => {
    const told = await live.setPresence(["Ana", "Luis"]);
    assert.deepEqual(told?.presence, { present: true, known_people: ["Ana", "Luis"] });
    assert.deepEqual(plain(await live.house()), plain(told ?? null));
    assert.deepEqual((await live.setPresence([]))?.presence, nobody());
  });

  it("is not there where it is not configured, and cannot be changed", async () => {
    house = false;
    assert.equal(await live.house(), null);
    assert.equal(await live.setPresence(["Ana"]), undefined);
    assert.equal(await documents.get("house", "state"), undefined);
  });
});

describe("who watches the simulated house", () => {
  it("is told how it is, and then of every change, whoever made it", async () => {
    const { told } = watch();
    await clock.advance(0);
    assert.deepEqual(told, [AT_FIRST]);
    await clock.advance(10_000);
    assert.equal(told.length, 1);
    // As another process does.
    await documents.put("house", "state", { ...AT_FIRST, alarm: true });
    await clock.advance(300);
    assert.deepEqual(told[1], { ...AT_FIRST, alarm: true });
    await live.setPresence(["Ana"]);
    await clock.advance(300);
    assert.deepEqual(told[2]?.presence, { present: true, known_people: ["Ana"] });
    assert.equal(told.length, 3);
  });

  it("is told when it is taken away, and when it is back", async () => {
    const { told } = watch();
    await clock.advance(0);
    house = false;
    await clock.advance(300);
    house = { ...HOUSE, lights: ["hall"] };
    await clock.advance(300);
    assert.deepEqual(told, [AT_FIRST, null, { ...AT_FIRST, lights: { hall: false } }]);
  });

  it("is told later than at once, also if another watches already", async () => {
    const [first, second] = [watch(), watch()];
    assert.deepEqual([first.told.length, second.told.length], [0, 0]);
    await clock.advance(0);
    const third = watch();
    assert.equal(third.told.length, 0);
    await turn();
    assert.deepEqual([first.told, second.told, third.told], [[AT_FIRST], [AT_FIRST], [AT_FIRST]]);
  });

  it("is not told any more when it has left, and takes nothing away from others by leaving or failing", async () => {
    const [one, two] = [watch(), watch()];
    live.watch({
      house: () => {
        throw new Error("deaf");
      },
      home: () => {},
    });
    await clock.advance(0);
    one.leave();
    one.leave();
    await documents.put("house", "state", { ...AT_FIRST, alarm: true });
    await clock.advance(300);
    assert.deepEqual([one.told.length, two.told.length], [1, 2]);
    assert.match(String(reported[0]), /deaf/);
  });

  it("costs nothing when nobody does: no timer, no look", async () => {
    const [one, two] = [watch(), watch()];
    await clock.advance(1_000);
    one.leave();
    assert.ok(clock.pending > 0);
    two.leave();
    assert.equal(clock.pending, 0);
    const looks = reads;
    await clock.advance(10_000);
    assert.deepEqual([reads, clock.pending], [looks, 0]);
  });

  it("leaves no timer behind if it leaves in the middle of a look", async () => {
    watch().leave();
    await clock.advance(1_000);
    assert.equal(clock.pending, 0);
    const { told } = watch();
    await clock.advance(300);
    assert.deepEqual(told, [AT_FIRST]);
    assert.equal(clock.pending, 1);
  });

  it("hears of the house again after it could not be read, which is reported once", async () => {
    const { told } = watch();
    await clock.advance(0);
    const kept = documents;
    documents = { ...kept, get: () => Promise.reject(new Error("locked")) };
    await clock.advance(3_000);
    assert.deepEqual(reported.map(String), ["Error: locked"]);
    documents = kept;
    await live.setPresence(["Ana"]);
    await clock.advance(300);
    assert.equal(told.length, 2);
    documents = { ...kept, get: () => Promise.reject(new Error("locked again")) };
    await clock.advance(3_000);
    assert.equal(reported.length, 2);
  });
});

describe("homes", () => {
  it("are shown with their entities by area; one that is away with none", async () => {
    homes.push(home("madrid", "ready", [lamp("light.a")]), home("playa", "broken"));
    const area = { id: "salon", name: "Salon", entities: [lamp("light.a")] };
    assert.deepEqual(await live.homes(), [
      { name: "madrid", state: "ready", areas: [area], more: 0 },
      { name: "playa", state: "broken", areas: [], more: 0 },
    ]);
    assert.equal(clock.pending, 0);
  });

  it("that do not say what they have keep nobody waiting", async () => {
    const [slow, lost] = [home("slow", "ready", [lamp("light.a")]), home("lost", "ready")];
    homes.push(slow, lost, home("madrid", "ready", [lamp("light.a")]));
    slow.hold();
    lost.lose();
    const reading = live.homes();
    await clock.advance(3_000);
    assert.deepEqual(
      (await reading).map(({ name, areas }) => [name, areas.length]),
      [
        ["slow", 0],
        ["lost", 0],
        ["madrid", 1],
      ],
    );
    assert.equal(clock.pending, 0);
  });
});

describe("who watches homes", () => {
  it("is told each whole, and then what changed of it, gathered for a moment", async () => {
    const madrid = home("madrid", "ready", [lamp("light.a"), lamp("light.b")]);
    homes.push(madrid);
    const { changes } = watch();
    await clock.advance(0);
    assert.deepEqual(
      changes.map(({ name, home: whole }) => [name, whole?.areas[0]?.entities.length]),
      [["madrid", 2]],
    );
    madrid.set("light.a", { state: "on" });
    madrid.set("light.a", { state: "unavailable" });
    madrid.set("light.b", { state: "on" });
    await clock.advance(249);
    assert.equal(changes.length, 1);
    await clock.advance(1);
    const now: EntityView[] = [
      { ...lamp("light.a"), state: "unavailable" },
      { ...lamp("light.b"), state: "on" },
    ];
    assert.deepEqual(changes.slice(1), [{ name: "madrid", entities: now }]);
    await clock.advance(10_000);
    assert.equal(changes.length, 2);
  });

  it("is not told of what does not show", async () => {
    const madrid = home("madrid", "ready", [lamp("light.a"), lamp("light.b")]);
    homes.push(madrid);
    const { changes } = watch();
    await clock.advance(0);
    madrid.set("light.a", {});
    madrid.listener().changed(["light.hidden"]);
    madrid.set("light.b", { state: "on" });
    madrid.set("light.b", { state: "off" });
    await clock.advance(1_000);
    assert.equal(changes.length, 1);
  });

  it("is told a home anew when it goes, comes back, or was rearranged", async () => {
    const madrid = home("madrid", "ready", [lamp("light.a")]);
    homes.push(madrid);
    const { changes } = watch();
    await clock.advance(0);
    madrid.enter("broken");
    await clock.advance(300);
    assert.deepEqual(changes.at(-1)?.home, { name: "madrid", state: "broken", areas: [], more: 0 });
    madrid.enter("ready", [lamp("light.a"), lamp("light.b")]);
    await clock.advance(300);
    assert.equal(changes.at(-1)?.home?.areas[0]?.entities.length, 2);
    madrid.add(lamp("light.c"));
    madrid.listener().rearranged();
    madrid.listener().rearranged();
    await clock.advance(250);
    assert.deepEqual(
      changes.at(-1)?.home?.areas.map(({ name }) => name),
      ["Salon", ""],
    );
    assert.equal(changes.length, 4);
    madrid.listener().rearranged();
    await clock.advance(250);
    assert.equal(changes.length, 4, "nothing of it changed");
  });

  it("is told a home anew if it came back between two looks", async () => {
    const madrid = home("madrid", "ready", [lamp("light.a")]);
    homes.push(madrid);
    const { changes } = watch();
    await clock.advance(0);
    madrid.enter("ready", [{ ...lamp("light.a"), state: "on" }]);
    await clock.advance(300);
    assert.equal(changes.at(-1)?.home?.areas[0]?.entities[0]?.state, "on");
    madrid.set("light.a", { state: "off" });
    await clock.advance(250);
    assert.equal(changes.at(-1)?.entities?.[0]?.state, "off");
  });

  it("is told a home anew if something has another name, and so another place in the order", async () => {
    const madrid = home("madrid", "ready", [lamp("light.a"), lamp("light.b")]);
    homes.push(madrid);
    const { changes } = watch();
    await clock.advance(0);
    madrid.set("light.a", { name: "Zócalo" });
    await clock.advance(250);
    assert.deepEqual(
      changes.at(-1)?.home?.areas[0]?.entities.map(({ id }) => id),
      ["light.b", "light.a"],
    );
  });

  it("is told what changed while a home was being read", async () => {
    const madrid = home("madrid", "ready", [lamp("light.a")]);
    homes.push(madrid);
    const { changes } = watch();
    await clock.advance(0);
    const go = madrid.hold();
    madrid.listener().rearranged();
    await clock.advance(250);
    madrid.set("light.a", { state: "on" });
    await clock.advance(5_000);
    assert.equal(changes.length, 1);
    go();
    await clock.advance(250);
    assert.deepEqual(changes.slice(1), [{ name: "madrid", entities: [{ ...lamp("light.a"), state: "on" }] }]);
  });

  it("is told of homes that are configured or taken away meanwhile", async () => {
    const { changes } = watch();
    await clock.advance(0);
    assert.equal(changes.length, 0);
    const madrid = home("madrid", "starting");
    homes.push(madrid);
    await clock.advance(300);
    assert.equal(changes[0]?.home?.state, "starting");
    madrid.enter("ready", [lamp("light.a")]);
    await clock.advance(300);
    homes.pop();
    await clock.advance(300);
    assert.deepEqual(changes.at(-1), { name: "madrid", removed: true });
    assert.equal(madrid.watchers, 0);
  });

  it("is not told a home that was taken away while it was being read", async () => {
    const madrid = home("madrid", "ready", [lamp("light.a")]);
    homes.push(madrid);
    const { changes } = watch();
    await clock.advance(0);
    const go = madrid.hold();
    madrid.enter("ready", [lamp("light.b")]);
    await clock.advance(300);
    homes.pop();
    await clock.advance(300);
    go();
    await clock.advance(1_000);
    assert.deepEqual(changes.at(-1), { name: "madrid", removed: true });
  });

  it("is told how homes are when another watches already", async () => {
    const madrid = home("madrid", "ready", [lamp("light.a")]);
    homes.push(madrid);
    const first = watch();
    await clock.advance(0);
    madrid.set("light.a", { state: "on" });
    await clock.advance(250);
    const second = watch();
    await turn();
    assert.equal(second.changes[0]?.home?.areas[0]?.entities[0]?.state, "on");
    assert.deepEqual([first.changes.length, second.changes.length, madrid.watchers], [2, 1, 1]);
  });

  it("leaves nothing behind: no timer, nobody watched", async () => {
    const madrid = home("madrid", "ready", [lamp("light.a")]);
    homes.push(madrid);
    const { leave, changes } = watch();
    await clock.advance(0);
    madrid.set("light.a", { state: "on" });
    const go = madrid.hold();
    madrid.listener().rearranged();
    await clock.advance(250);
    madrid.set("light.a", { state: "off" });
    leave();
    go();
    assert.deepEqual([clock.pending, madrid.watchers], [0, 0]);
    await clock.advance(1_000);
    assert.deepEqual([clock.pending, changes.length], [0, 1]);
  });
});

let reads = 0;

/** So that a test can put another table in its place. */
function through(): Omit<DocumentTable, "update"> {
  return {
    get: (...args) => {
      reads += 1;
      return documents.get(...args);
    },
    list: (...args) => documents.list(...args),
    put: (...args) => documents.put(...args),
    delete: (...args) => documents.delete(...args),
  };
}

interface Watching {
  readonly told: (HouseView | null)[];
  readonly changes: HomeChange[];
  leave(): void;
}

function watch(): Watching {
  const told: (HouseView | null)[] = [];
  const changes: HomeChange[] = [];
  const leave = live.watch({
    house: (now) => told.push(plain(now)),
    home: (change) => changes.push(change),
  });
  return { told, changes, leave };
}

/** Lights have no prototype. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function nobody(): HouseView["presence"] {
  return { present: false, known_people: [] };
}

function home(name: string, state: SourceState, things?: readonly Thing[]): FakeHome {
  return new FakeHome(name, state, things);
}
