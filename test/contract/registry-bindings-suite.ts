/** The contract of the links between agents and tools. */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { BindingTable, NewBinding } from "../../src/store/registry.ts";
import { assertOneWon, assertTime, findTool, newAgent, serverWith, tools, UNICODE } from "./registry-fixtures.ts";
import type { Subject } from "./registry-suite.ts";

export function describeBindings(subject: Subject): void {
  const bindings = (): BindingTable => subject.registry.bindings;

  describe("bindings", () => {
    let agentId: string;
    let serverId: string;
    const link = async (name: string, rest: Partial<NewBinding> = {}): Promise<NewBinding> => {
      const { id: toolId } = await findTool(subject.registry, serverId, name);
      return { agentId, toolId, enabled: true, ...rest };
    };

    beforeEach(async () => {
      serverId = await serverWith(subject.registry, "house", ...tools("a", "b", "c"));
      agentId = (await subject.registry.agents.create(newAgent("ana"))).id;
    });

    it("gives back what was created, with an id and times, and the tool where it is listed", async () => {
      const fixedArguments = JSON.parse(`{"room": ["${UNICODE}", 1.5, null], "__proto__": {"a": 1}}`);
      const config = { fixedArguments, allowedArguments: ["level"] };
      const binding = await link("a", { config, enabled: false });
      const created = await bindings().create(binding);
      assertTime(created.createdUtc);
      const { id, createdUtc } = created;
      assert.deepEqual(created, { ...binding, id, createdUtc, updatedUtc: createdUtc });
      assert.deepEqual(await bindings().get(id), created);
      const tool = await findTool(subject.registry, serverId, "a");
      assert.deepEqual(await bindings().listOf(agentId), [{ ...created, tool, serverOrigin: "registered" }]);
    });

    it("leaves out a config that was not said, and keeps an empty one", async () => {
      assert.ok(!("config" in (await bindings().create(await link("a")))));
      assert.deepEqual((await bindings().create(await link("b", { config: {} }))).config, {});
    });

    it("has nothing where nothing was created", async () => {
      assert.equal(await bindings().get("nothing"), undefined);
      assert.deepEqual(await bindings().listOf(agentId), []);
      assert.deepEqual(await bindings().listOf("nobody"), []);
      assert.equal(await bindings().change("nothing", { enabled: false }), undefined);
      assert.equal(await bindings().delete("nothing"), false);
    });

    it("refuses the same pair twice, until the first is deleted", async () => {
      const { id } = await bindings().create(await link("a"));
      await assert.rejects(bindings().create(await link("a", { enabled: false })), { name: "NameTaken" });
      assert.equal(await bindings().delete(id), true);
      assert.equal(await bindings().delete(id), false);
      await bindings().create(await link("a"));
    });

    it("lets only one of two stores link a pair", async () => {
      const other = await subject.another();
      const both = [bindings().create(await link("a")), other.bindings.create(await link("a"))];
      assertOneWon(await Promise.allSettled(both), "NameTaken");
      assert.equal((await bindings().listOf(agentId)).length, 1);
    });

    it("refuses an agent or a tool that is not there", async () => {
      await assert.rejects(bindings().create(await link("a", { agentId: "nobody" })), { name: "Dangling" });
      await assert.rejects(bindings().create(await link("a", { toolId: "nothing" })), { name: "Dangling" });
      assert.deepEqual(await bindings().listOf(agentId), []);
    });

    it("links a missing tool", async () => {
      const binding = await link("a");
      await subject.registry.tools.sync(serverId, []);
      await bindings().create(binding);
      assert.deepEqual(
        (await bindings().listOf(agentId)).map((each) => each.tool.missing),
        [true],
      );
    });

    it("lists in the order of creation, those of missing tools included, and of one agent only", async () => {
      const { id: other } = await subject.registry.agents.create(newAgent("eva"));
      for (const name of ["c", "a", "b"]) await bindings().create(await link(name));
      await bindings().create(await link("a", { agentId: other }));
      await subject.registry.tools.sync(serverId, tools("b", "c"));
      const listed = (await bindings().listOf(agentId)).map(({ tool }) => [tool.name, tool.missing]);
      assert.deepEqual(listed, [
        ["c", false],
        ["a", true],
        ["b", false],
      ]);
      assert.equal((await bindings().listOf(other)).length, 1);
    });

    it("changes what is named, takes away a config that is undefined, and leaves the rest", async () => {
      const before = await bindings().create(await link("a", { config: { allowedArguments: ["x"] } }));
      const off = await bindings().change(before.id, { enabled: false });
      assert.ok(off && off.updatedUtc > before.updatedUtc);
      assert.deepEqual(off, { ...before, enabled: false, updatedUtc: off.updatedUtc });
      assert.deepEqual(await bindings().change(before.id, { enabled: undefined }), off);
      const bare = await bindings().change(before.id, { config: undefined });
      assert.ok(bare && !("config" in bare) && !bare.enabled);
      const config = { fixedArguments: { a: 1 } };
      assert.deepEqual((await bindings().change(before.id, { config }))?.config, config);
    });
  });
}
