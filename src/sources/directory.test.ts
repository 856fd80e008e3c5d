import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type DirectoryHub, type Origin, SourceDirectory, type Wanted } from "./directory.ts";

/** What was done, in order. */
let done: string[];
let directory: SourceDirectory;
/** What another process holds. */
let elsewhere: Set<string>;
/** Tells that a source came to us, or went from us. */
let moved: (name: string) => void;
/** Set to make closing take its time. */
let closing: Promise<void>;

const hub: DirectoryHub = {
  replace: async (name, attach) => {
    await closing;
    done.push(`- ${name}`);
    await attach();
  },
  move: async (name, attach) => {
    done.push(`> ${name}`);
    await attach();
  },
  detach: async (name, why) => {
    await closing;
    done.push(`- ${name}${why === "away" ? " (away)" : ""}`);
  },
};

beforeEach(() => {
  done = [];
  closing = Promise.resolve();
  elsewhere = new Set();
  moved = () => assert.fail("nobody watches");
  directory = new SourceDirectory(hub, {
    isOurs: (name) => !elsewhere.has(name),
    watch: (listener) => {
      moved = (name) => void listener(name, false);
      return () => {};
    },
  });
});

const wanted = (name: string, entry: unknown = name): Wanted => ({
  entry,
  attach: async () => void done.push(`+ ${name} ${entry}`),
});

const all = (origin: Origin, ...named: readonly (readonly [string, unknown])[]) =>
  new Map([[origin, new Map(named.map(([name, entry]) => [name, wanted(name, entry)]))]]);

describe("a directory of sources", () => {
  it("brings up what is wanted in its order, and tells what came, went and changed", async () => {
    const first = await directory.replace(all("configured", ["b", 1], ["a", 1], ["c", 1]));
    assert.deepEqual(first, { added: ["b", "a", "c"], removed: [], changed: [] });
    assert.deepEqual(done.splice(0), ["+ b 1", "+ a 1", "+ c 1"]);
    const second = await directory.replace(all("configured", ["c", 1], ["d", 1], ["a", 2]));
    assert.deepEqual(second, { added: ["d"], removed: ["b"], changed: ["a"] });
    assert.deepEqual(done, ["- b", "- a", "+ a 2", "+ d 1"]);
  });

  it("leaves alone what is wanted as it runs already", async () => {
    await directory.set("api", "a", wanted("a", { deep: [1] } as unknown));
    done = [];
    await directory.set("api", "a", wanted("a", { deep: [1] } as unknown));
    assert.deepEqual(done, []);
    await directory.renew("a");
    assert.deepEqual(done, ["- a", "+ a [object Object]"]);
  });

  it("brings up only what this process may hold, and follows when that changes", async () => {
    elsewhere = new Set(["b"]);
    await directory.replace(all("configured", ["a", 1], ["b", 1]));
    assert.deepEqual([done.splice(0), directory.list().map(({ name }) => name)], [["+ a 1"], ["a", "b"]]);
    elsewhere = new Set(["a"]);
    for (const name of ["a", "b", "c"]) moved(name);
    await setImmediate();
    assert.deepEqual(done.splice(0).sort(), ["+ b 1", "- a (away)"]);
  });

  it("has what another node holds as well where that can be had, and moves it in its place", async () => {
    const here = { ...wanted("a", 1), attachElsewhere: async () => void done.push("+ a elsewhere") };
    elsewhere = new Set(["a"]);
    await directory.set("registered", "a", here);
    assert.deepEqual(done.splice(0), ["+ a elsewhere"]);
    elsewhere = new Set();
    moved("a");
    await setImmediate();
    assert.deepEqual(done.splice(0), ["> a", "+ a 1"]);
    elsewhere = new Set(["a"]);
    await directory.set("registered", "a", { ...here, entry: 2 });
    assert.deepEqual(done.splice(0), ["- a", "+ a elsewhere"]);
    await directory.set("registered", "b", { ...wanted("b", 1), isShared: true });
    assert.deepEqual(done.splice(0), ["+ b 1"]);
  });

  it("gives a name to the first origin, and to the next when it is free", async () => {
    await directory.set("device", "a", wanted("a", "device"));
    await directory.set("registered", "a", wanted("a", "registered"));
    await directory.replace(all("configured", ["a", "file"]));
    assert.deepEqual(done.splice(0), ["+ a device", "- a", "+ a registered", "- a", "+ a file"]);
    assert.equal(directory.get("a")?.origin, "configured");
    assert.deepEqual(
      directory.list().map(({ origin }) => origin),
      ["configured"],
    );
    await directory.replace(all("configured"));
    assert.deepEqual(done.splice(0), ["- a", "+ a registered"]);
    await directory.remove("registered", "a");
    assert.deepEqual(done, ["- a", "+ a device"]);
  });

  it("lets a device that calls itself as a registered server come and go beside it", async () => {
    await directory.set("registered", "device-aa", wanted("device-aa", "registered"));
    await directory.set("device", "device-aa", wanted("device-aa", Symbol("socket").description));
    await directory.remove("device", "device-aa", true);
    assert.deepEqual(done, ["+ device-aa registered"]);
    assert.equal(directory.get("device-aa")?.origin, "registered");
  });

  it("keeps the name of what is disabled", async () => {
    await directory.replace(new Map([["configured", new Map([["a", { entry: 1 }]])]]));
    await directory.set("registered", "a", wanted("a"));
    assert.deepEqual(done, []);
    assert.equal(directory.wanted("registered", "a")?.entry, "a");
  });

  it("does one change of a name after the other, and only the last of those that wait", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await directory.set("registered", "a", wanted("a", 1));
    closing = promise;
    const changes = [2, 3, 4].map((entry) => directory.set("registered", "a", wanted("a", entry)));
    const gone = directory.remove("registered", "a");
    const back = directory.set("registered", "a", wanted("a", 5));
    assert.deepEqual(done.splice(0), ["+ a 1"]);
    resolve();
    await Promise.all([...changes, gone, back]);
    assert.deepEqual(done, ["- a", "+ a 5"]);
  });

  it("tries again what could not be attached", async () => {
    const broken: Wanted = { entry: 1, attach: () => Promise.reject(new Error("no")) };
    await assert.rejects(directory.set("registered", "a", broken), /no/);
    await directory.set("registered", "a", wanted("a", 1));
    assert.deepEqual(done, ["+ a 1"]);
  });

  it("says who has which name before anything comes or goes", async () => {
    const seen: unknown[] = [];
    await directory.replace(all("configured", ["a", 1]), async () => {
      seen.push(done.length, directory.get("a")?.origin);
    });
    assert.deepEqual([seen, done], [[0, "configured"], ["+ a 1"]]);
  });

  it("tells of one that is only away", async () => {
    await directory.set("device", "a", wanted("a"));
    await directory.remove("device", "a", true);
    assert.deepEqual(done, ["+ a a", "- a (away)"]);
  });
});
