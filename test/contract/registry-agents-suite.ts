/** The contract of the registry's agents, and of the keys that belong to them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AgentTable } from "../../src/store/registry.ts";
import type { NewKey } from "../../src/store/store.ts";
import {
  assertOneWon,
  assertTime,
  findTool,
  names,
  newAgent,
  SAME_NAMES,
  SQL,
  serverWith,
  tools,
  UNICODE,
} from "./registry-fixtures.ts";
import type { Subject } from "./registry-suite.ts";

export function describeAgents(subject: Subject): void {
  const agents = (): AgentTable => subject.registry.agents;

  describe("agents", () => {
    it("gives back what was created, with an id and times", async () => {
      const full = newAgent("ana", { description: UNICODE, systemPrompt: SQL, autonomy: "Supervised" });
      const created = await agents().create(full);
      assertTime(created.createdUtc);
      const { id, createdUtc } = created;
      assert.deepEqual(created, { ...full, id, createdUtc, updatedUtc: createdUtc });
      assert.deepEqual(await agents().get(id), created);
      assert.deepEqual(await agents().findByName("ANA"), created);
      assert.deepEqual(await agents().list(), [created]);
      const bare = await agents().create(newAgent("bare"));
      assert.deepEqual(Object.keys(bare).sort(), ["autonomy", "createdUtc", "id", "name", "updatedUtc"]);
    });

    it("has nothing where nothing was created", async () => {
      assert.equal(await agents().get("nobody"), undefined);
      assert.equal(await agents().findByName("nobody"), undefined);
      assert.equal(await agents().change("nobody", { name: "x" }), undefined);
      assert.equal(await agents().delete("nobody"), false);
      assert.equal(await agents().count(), 0);
    });

    for (const [one, other] of SAME_NAMES) {
      it(`takes ${one} and ${other} for one name`, async () => {
        const { id } = await agents().create(newAgent(one));
        assert.equal((await agents().findByName(other))?.id, id);
        await assert.rejects(agents().create(newAgent(other)), { name: "NameTaken" });
        assert.equal(await agents().count(), 1);
      });
    }

    it("lets only one of two stores take a name", async () => {
      const other = await subject.another();
      const both = [agents().create(newAgent("ana")), other.agents.create(newAgent("ANA"))];
      assertOneWon(await Promise.allSettled(both), "NameTaken");
    });

    it("lists in the order of creation, in pages and by words of name and description", async () => {
      for (const name of ["c", "a", "100%"]) await agents().create(newAgent(name, { description: `Ágil ${name}_` }));
      assert.deepEqual(names(await agents().list()), ["c", "a", "100%"]);
      assert.deepEqual(names(await agents().list({ offset: 1, limit: 1 })), ["a"]);
      assert.deepEqual(names(await agents().list({ search: "ágil C_" })), ["c"]);
      assert.deepEqual(names(await agents().list({ search: "%" })), ["100%"]);
      assert.equal(await agents().count({ search: "ÁGIL" }), 3);
      assert.equal(await agents().count({ search: "manual" }), 0);
    });

    it("changes what is named, takes away what is undefined, and leaves what every agent has", async () => {
      const before = await agents().create(newAgent("ana", { description: "old", systemPrompt: "prompt" }));
      const change = { autonomy: "Auto", description: undefined, name: undefined } as const;
      const after = await agents().change(before.id, change);
      assert.ok(after && after.updatedUtc > before.updatedUtc);
      const { id, createdUtc } = before;
      const left = { id, name: "ana", systemPrompt: "prompt", autonomy: "Auto", createdUtc };
      assert.deepEqual(after, { ...left, updatedUtc: after.updatedUtc });
      assert.deepEqual(await agents().change(id, { autonomy: "Auto" }), after);
      assert.equal(await agents().count({ search: "old" }), 0);
    });

    it("renames, in another case too, but not to a name that is taken", async () => {
      const { id } = await agents().create(newAgent("ana"));
      await agents().create(newAgent("Íñigo"));
      await assert.rejects(agents().change(id, { name: "ÍÑIGO" }), { name: "NameTaken" });
      assert.equal((await agents().change(id, { name: "ANA" }))?.name, "ANA");
    });

    it("deletes one with its bindings, and leaves its tools and other agents", async () => {
      const { registry } = subject;
      const serverId = await serverWith(registry, "house", ...tools("a"));
      const { id: toolId } = await findTool(registry, serverId, "a");
      const [ana, eva] = [await agents().create(newAgent("ana")), await agents().create(newAgent("eva"))];
      const bound = await registry.bindings.create({ agentId: ana.id, toolId, enabled: true });
      await registry.bindings.create({ agentId: eva.id, toolId, enabled: true });
      assert.equal(await agents().delete(ana.id), true);
      assert.equal(await agents().delete(ana.id), false);
      assert.equal(await registry.bindings.get(bound.id), undefined);
      assert.deepEqual(await registry.bindings.listOf(ana.id), []);
      assert.equal((await registry.bindings.listOf(eva.id)).length, 1);
      assert.equal(await registry.tools.count(), 1);
    });

    it("keeps all over a close", async () => {
      const { registry } = subject;
      const serverId = await serverWith(registry, "house", ...tools("a", "b"));
      await registry.tools.sync(serverId, tools("b"));
      const { id: toolId } = await findTool(registry, serverId, "a");
      const { id: agentId } = await agents().create(newAgent("ana"));
      await registry.bindings.create({ agentId, toolId, enabled: false });
      const read = async (from: typeof registry): Promise<unknown[]> => [
        await from.servers.list(),
        await from.tools.list({ withMissing: true }),
        await from.agents.list(),
        await from.bindings.listOf(agentId),
      ];
      const before = await read(registry);
      assert.deepEqual(await read(await subject.restarted()), before);
    });
  });

  describe("the keys of an agent", () => {
    it("name their agent; ordinary ones name none", async () => {
      const { id: agentId } = await agents().create(newAgent("ana"));
      const created = await subject.keys.create({ ...newKey("a"), agentId, allow: ["x"] });
      assert.equal(created.agentId, agentId);
      assert.deepEqual(await subject.keys.findByHash("hash of a"), created);
      assert.ok(!("agentId" in (await subject.keys.create(newKey("b")))));
    });

    it("are listed by agent, revoked ones too", async () => {
      const [ana, eva] = [await agents().create(newAgent("ana")), await agents().create(newAgent("eva"))];
      await subject.keys.create({ ...newKey("1"), agentId: ana.id });
      await subject.keys.create({ ...newKey("2"), agentId: eva.id });
      await subject.keys.create(newKey("3"));
      await subject.keys.create({ ...newKey("4"), agentId: ana.id });
      await subject.keys.revoke("1");
      assert.deepEqual(names(await subject.keys.list({ agentId: ana.id })), ["1", "4"]);
      assert.deepEqual(names(await subject.keys.list({ agentId: "nobody" })), []);
      assert.deepEqual(names(await subject.keys.list({ agentId: undefined })), ["1", "2", "3", "4"]);
      assert.deepEqual(names(await subject.keys.list()), ["1", "2", "3", "4"]);
    });

    it("end with their agent, in every store, and no other key does", async () => {
      const other = await subject.another();
      const [ana, eva] = [await agents().create(newAgent("ana")), await agents().create(newAgent("eva"))];
      await subject.keys.create({ ...newKey("1"), agentId: ana.id });
      await subject.keys.create({ ...newKey("2"), agentId: eva.id });
      await subject.keys.create(newKey("3"));
      await other.agents.delete(ana.id);
      assert.equal(await subject.keys.findByHash("hash of 1"), undefined);
      assert.deepEqual(names(await subject.keys.list({ agentId: ana.id })), []);
      assert.equal(await subject.keys.countActive(), 2);
    });

    it("are not made for an agent that is not there", async () => {
      await assert.rejects(subject.keys.create({ ...newKey("1"), agentId: "nobody" }), { name: "Dangling" });
      assert.deepEqual(await subject.keys.list(), []);
    });

    it("share their names with all active keys", async () => {
      const { id: agentId } = await agents().create(newAgent("ana"));
      await subject.keys.create(newKey("phone"));
      await assert.rejects(subject.keys.create({ ...newKey("phone", "other"), agentId }), { name: "NameTaken" });
    });
  });
}

function newKey(name: string, hash = `hash of ${name}`): NewKey {
  return { name, hash, hint: "zgn_…" };
}
