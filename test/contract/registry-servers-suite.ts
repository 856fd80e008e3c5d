/** The contract of the registry's servers. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Discovery } from "../../src/contract/server.ts";
import type { NewServer, ServerTable } from "../../src/store/registry.ts";
import {
  assertOneWon,
  assertTime,
  findTool,
  names,
  newAgent,
  newServer,
  SAME_NAMES,
  SQL,
  serverWith,
  tools,
  UNICODE,
} from "./registry-fixtures.ts";
import type { Subject } from "./registry-suite.ts";

const FULL: NewServer = {
  name: "weather",
  origin: "configured",
  baseUrl: "https://example.org/mcp",
  command: "npx",
  args: ["-y", "", UNICODE],
  authType: "apikey",
  sealed: "v1.abc",
  allowPrivate: true,
};

export function describeServers(subject: Subject): void {
  const servers = (): ServerTable => subject.registry.servers;

  describe("servers", () => {
    it("gives back what was created, active, with an id and times", async () => {
      const created = await servers().create(FULL);
      assert.match(created.id, /./);
      assertTime(created.createdUtc);
      assert.equal(created.updatedUtc, created.createdUtc);
      const { id, createdUtc, updatedUtc } = created;
      assert.deepEqual(created, { ...FULL, id, status: "active", createdUtc, updatedUtc });
      assert.deepEqual(await servers().get(id), created);
      assert.deepEqual(await servers().findByName("weather"), created);
      assert.deepEqual(await servers().list(), [created]);
    });

    it("leaves out what was not said", async () => {
      const created = await servers().create(newServer("bare"));
      const members = ["allowPrivate", "authType", "createdUtc", "id", "name", "origin", "status", "updatedUtc"];
      assert.deepEqual(Object.keys(created).sort(), members);
      const none = await servers().create(newServer("no arguments", { command: "x", args: [] }));
      assert.deepEqual(none.args, []);
    });

    it("has nothing where nothing was created", async () => {
      assert.equal(await servers().get("nobody"), undefined);
      assert.equal(await servers().findByName("nobody"), undefined);
      assert.deepEqual(await servers().list(), []);
      assert.equal(await servers().count(), 0);
      assert.equal(await servers().change("nobody", { name: "x" }), undefined);
      assert.equal(await servers().delete("nobody"), false);
      assert.deepEqual(await servers().readLog("nobody"), []);
    });

    for (const [one, other] of SAME_NAMES) {
      it(`takes ${one} and ${other} for one name`, async () => {
        const { id } = await servers().create(newServer(one));
        assert.equal((await servers().findByName(other))?.id, id);
        await assert.rejects(servers().create(newServer(other)), { name: "NameTaken" });
        assert.deepEqual(names(await servers().list()), [one]);
      });
    }

    it("takes names that differ in more than case for different ones", async () => {
      for (const name of ["house", "hóuse", "house ", "h_use", "%"]) await servers().create(newServer(name));
      assert.equal(await servers().count(), 5);
      assert.equal((await servers().findByName("%"))?.name, "%");
    });

    it("refuses a taken name with a TypeError, whatever the origin, and frees it with the server", async () => {
      const { id } = await servers().create(newServer("house", { origin: "built-in" }));
      await assert.rejects(servers().create(newServer("HOUSE")), TypeError);
      await servers().delete(id);
      await servers().create(newServer("HOUSE"));
    });

    it("lets only one of two stores take a name", async () => {
      const other = await subject.another();
      const both = [servers().create(newServer("house")), other.servers.create(newServer("HOUSE"))];
      assertOneWon(await Promise.allSettled(both), "NameTaken");
      assert.equal(await servers().count(), 1);
    });

    it("takes any text for text", async () => {
      for (const name of [SQL, UNICODE]) {
        const { id } = await servers().create(newServer(name, { baseUrl: name, sealed: name }));
        assert.equal((await servers().findByName(name))?.id, id);
        assert.deepEqual(names(await servers().list({ search: name })), [name]);
      }
    });

    it("lists in the order of creation, in pages if asked", async () => {
      for (const name of ["c", "a", "b"]) await servers().create(newServer(name));
      const listed = async (page: object): Promise<string[]> => names(await servers().list(page));
      assert.deepEqual(await listed({}), ["c", "a", "b"]);
      assert.deepEqual(await listed({ limit: 2 }), ["c", "a"]);
      assert.deepEqual(await listed({ offset: 1 }), ["a", "b"]);
      assert.deepEqual(await listed({ offset: 1, limit: 1 }), ["a"]);
      assert.deepEqual(await listed({ offset: 3 }), []);
      assert.deepEqual(await listed({ limit: 0 }), []);
    });

    it("lists and counts those of one origin", async () => {
      await servers().create(newServer("a", { origin: "configured" }));
      await servers().create(newServer("b"));
      assert.deepEqual(names(await servers().list({ origin: "configured" })), ["a"]);
      assert.deepEqual(names(await servers().list({ origin: "built-in" })), []);
      assert.equal(await servers().count({ origin: "registered" }), 1);
      assert.equal(await servers().count({ origin: "registered", search: "a" }), 0);
    });

    it("searches names and addresses, without regard to case, and nothing else", async () => {
      await servers().create(newServer("Árbol", { baseUrl: "https://Example.org/mcp" }));
      await servers().create(newServer("100%_b", { command: "example" }));
      const found = async (search: string): Promise<string[]> => {
        const listed = names(await servers().list({ search }));
        assert.equal(await servers().count({ search }), listed.length);
        return listed;
      };
      assert.deepEqual(await found("áRB"), ["Árbol"]);
      assert.deepEqual(await found("EXAMPLE.ORG"), ["Árbol"]);
      assert.deepEqual(await found("mcp árbol"), ["Árbol"]);
      assert.deepEqual(await found("%"), ["100%_b"]);
      assert.deepEqual(await found("0%_"), ["100%_b"]);
      assert.deepEqual(await found("_"), ["100%_b"]);
      assert.deepEqual(await found(" "), ["Árbol", "100%_b"]);
      assert.deepEqual(await found("registered"), []);
    });
  });

  describe("a change of a server", () => {
    it("changes what it names and leaves the rest, and the time tells", async () => {
      const before = await servers().create(FULL);
      const change = { status: "active", transport: "http", lastSeenUtc: "2026-01-02T03:04:05.678Z" } as const;
      const after = await servers().change(before.id, change);
      assert.ok(after && after.updatedUtc > before.updatedUtc);
      assert.deepEqual(after, { ...before, ...change, updatedUtc: after.updatedUtc });
      assert.deepEqual(await servers().get(before.id), after);
    });

    it("may say that it comes from elsewhere now; that it comes from nowhere is not heard", async () => {
      const { id } = await servers().create(newServer("a", { origin: "built-in" }));
      assert.equal((await servers().change(id, { origin: "configured" }))?.origin, "configured");
      assert.equal((await servers().change(id, { origin: undefined }))?.origin, "configured");
      assert.deepEqual(names(await servers().list({ origin: "configured" })), ["a"]);
      assert.deepEqual(await servers().list({ origin: "built-in" }), []);
    });

    it("takes away what is there and undefined", async () => {
      const { id } = await servers().create(FULL);
      await servers().change(id, { lastError: "down", status: "error", transport: "sse" });
      const gone = { baseUrl: undefined, command: undefined, args: undefined, sealed: undefined };
      const after = await servers().change(id, { ...gone, lastError: undefined, transport: undefined });
      const left = ["allowPrivate", "authType", "createdUtc", "id", "name", "origin", "status", "updatedUtc"];
      assert.deepEqual(Object.keys(after ?? {}).sort(), left);
      assert.equal(after?.status, "error");
    });

    it("leaves what every server has, even if it is there and undefined", async () => {
      const before = await servers().create(FULL);
      const needed = { name: undefined, authType: undefined, allowPrivate: undefined, status: undefined };
      assert.deepEqual(await servers().change(before.id, needed), before);
    });

    it("is none if all is so already", async () => {
      const before = await servers().create(FULL);
      const version = await subject.registry.tools.version();
      assert.deepEqual(await servers().change(before.id, { ...FULL, status: "active" }), before);
      assert.equal(await subject.registry.tools.version(), version);
    });

    it("gives every one of many quick changes a later time", async () => {
      const { id, updatedUtc } = await servers().create(FULL);
      const times = [updatedUtc];
      for (let n = 0; n < 50; n++) times.push((await servers().change(id, { lastError: `${n}` }))?.updatedUtc ?? "");
      assert.deepEqual([...new Set(times)].sort(), times);
    });

    it("renames, in another case too, but not to a name that is taken", async () => {
      const { id } = await servers().create(newServer("house"));
      await servers().create(newServer("Árbol"));
      assert.equal((await servers().change(id, { name: "HOUSE" }))?.name, "HOUSE");
      await assert.rejects(servers().change(id, { name: "árbol", status: "error" }), { name: "NameTaken" });
      assert.deepEqual([(await servers().get(id))?.name, (await servers().get(id))?.status], ["HOUSE", "active"]);
      await servers().change(id, { name: "casa" });
      assert.equal(await servers().findByName("house"), undefined);
      assert.deepEqual(names(await servers().list({ search: "CASA" })), ["casa"]);
    });

    it("is found by its new address", async () => {
      const { id } = await servers().create(newServer("house", { baseUrl: "https://old.example" }));
      await servers().change(id, { baseUrl: "https://new.example" });
      assert.equal(await servers().count({ search: "old" }), 0);
      assert.equal(await servers().count({ search: "new" }), 1);
    });
  });

  describe("the deletion of a server", () => {
    it("takes its tools, their bindings and its log with it, and nothing of others", async () => {
      const { registry } = subject;
      const [gone, stays] = [
        await serverWith(registry, "gone", ...tools("a", "b")),
        await serverWith(registry, "stays", ...tools("a")),
      ];
      const agent = await registry.agents.create(newAgent("ana"));
      for (const serverId of [gone, stays]) {
        const { id: toolId } = await findTool(registry, serverId, "a");
        await registry.bindings.create({ agentId: agent.id, toolId, enabled: true });
        await registry.servers.log(serverId, entry(1));
      }
      assert.equal(await servers().delete(gone), true);
      assert.equal(await servers().delete(gone), false);
      assert.deepEqual(await servers().readLog(gone), []);
      assert.equal((await servers().readLog(stays)).length, 1);
      assert.deepEqual(
        (await registry.tools.list({ withMissing: true })).map((each) => each.serverId),
        [stays],
      );
      assert.deepEqual(
        (await registry.bindings.listOf(agent.id)).map((each) => each.tool.serverId),
        [stays],
      );
    });

    it("never gives its id to another, even of the same name", async () => {
      const { id } = await servers().create(newServer("house"));
      await servers().log(id, entry(1));
      await servers().delete(id);
      const again = await servers().create(newServer("house"));
      assert.notEqual(again.id, id);
      assert.deepEqual(await servers().readLog(again.id), []);
    });
  });

  describe("the log of a server", () => {
    it("gives back whole entries, the newest first", async () => {
      const { id } = await servers().create(newServer("house"));
      const failed: Discovery = {
        startedUtc: "2026-01-02T03:04:05.678Z",
        ms: 12.5,
        ok: false,
        error: UNICODE,
        steps: [{ attempt: 1, atMs: 0, transport: "http", outcome: SQL }],
      };
      await servers().log(id, failed);
      await servers().log(id, entry(2));
      assert.deepEqual(await servers().readLog(id), [entry(2), failed]);
    });

    it("keeps the last twenty of each", async () => {
      const [one, other] = [await servers().create(newServer("a")), await servers().create(newServer("b"))];
      await servers().log(other.id, entry(0));
      for (let n = 1; n <= 25; n++) await servers().log(one.id, entry(n));
      const kept = (await servers().readLog(one.id)).map((each) => each.tools);
      assert.deepEqual(
        kept,
        Array.from({ length: 20 }, (_, index) => 25 - index),
      );
      assert.equal((await servers().readLog(other.id)).length, 1);
    });

    it("does not mind a server that was deleted meanwhile", async () => {
      const { id } = await servers().create(newServer("house"));
      await servers().delete(id);
      await servers().log(id, entry(1));
      assert.deepEqual(await servers().readLog(id), []);
    });

    it("is no change of the server", async () => {
      const before = await servers().create(newServer("house"));
      const version = await subject.registry.tools.version();
      await servers().log(before.id, entry(1));
      assert.deepEqual(await servers().get(before.id), before);
      assert.equal(await subject.registry.tools.version(), version);
    });
  });
}

function entry(tools: number): Discovery {
  return { startedUtc: "2026-01-02T03:04:05.678Z", ms: tools, ok: true, tools, steps: [] };
}
