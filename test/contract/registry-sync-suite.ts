/** The contract of how a server's list of tools comes in, and of the version that every change moves. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RegistryTables, ToolTable } from "../../src/store/registry.ts";
import { findTool, names, newAgent, newServer, SQL, serverWith, tool, tools, UNICODE } from "./registry-fixtures.ts";
import type { Subject } from "./registry-suite.ts";

const NOTHING = { added: [], changed: [], missing: [], returned: [] };

export function describeSync(subject: Subject): void {
  const table = (): ToolTable => subject.registry.tools;

  describe("a server's list of tools", () => {
    it("comes in, whole and in its order", async () => {
      const { id } = await subject.registry.servers.create(newServer("house"));
      const found = [tool("on"), tool("off", { scope: "room", quarantine: "no schema" }), tool(UNICODE), tool(SQL)];
      const sync = await table().sync(id, found);
      assert.deepEqual(sync, { ...NOTHING, added: names(found) });
      const listed = await table().list();
      assert.deepEqual(
        listed.map(({ id: _, createdUtc, updatedUtc, ...rest }) => rest),
        found.map((each) => ({ ...each, serverId: id, serverName: "house", missing: false })),
      );
      for (const each of listed) assert.equal(new Date(each.createdUtc).toISOString(), each.updatedUtc);
      assert.equal(new Set(listed.map((each) => each.id)).size, 4);
    });

    it("keeps a definition to the letter", async () => {
      const definition = `{ "name":"on",  "big": 12345678901234567890, "x": 1.0, "x-own": {"é": "\\u00e9 🏠"} }`;
      const id = await serverWith(subject.registry, "house", tool("on", { definition }));
      assert.equal((await findTool(subject.registry, id, "on")).definition, definition);
    });

    it("keeps U+0000, and names that are longer than a database can index", async () => {
      const long = Array.from({ length: 2_000 }, (_, index) => `${index} ñ`).join("");
      const odd = [tool("a\u0000b", { description: "\u0000", scope: "\u0000" }), tool("a\u{F8E0}b"), tool(long)];
      const id = await serverWith(subject.registry, "house", ...odd);
      const listed = await table().list();
      assert.deepEqual(names(listed), names(odd));
      assert.deepEqual([listed[0]?.description, listed[0]?.scope], ["\u0000", "\u0000"]);
      assert.equal((await findTool(subject.registry, id, long)).name, long);
      assert.deepEqual(names(await table().list({ search: "A\u0000B", withMissing: true })), ["a\u0000b"]);
      assert.deepEqual(names(await table().list({ search: "a \u0000", withMissing: true })), ["a\u0000b"]);
      assert.deepEqual(await table().sync(id, odd), NOTHING);
    });

    it("writes nothing if it is the same again", async () => {
      const found = [...tools("a", "b"), tool("c", { quarantine: "bad" }), tool("half \ud800 a pair")];
      const id = await serverWith(subject.registry, "house", ...found);
      const before = await everything(subject.registry);
      assert.deepEqual(await table().sync(id, found), NOTHING);
      assert.deepEqual(await everything(subject.registry), before);
    });

    it("keeps the ids of known names, whatever else of them changed", async () => {
      const id = await serverWith(subject.registry, "house", ...tools("a", "b", "c", "d", "e"));
      const before = await table().list();
      const sync = await table().sync(id, [
        tool("a", { description: "new", definition: before[0]?.definition ?? "" }),
        tool("b", { scope: "new" }),
        tool("c", { definition: "{}" }),
        tool("d", { quarantine: "new" }),
        tool("e"),
      ]);
      assert.deepEqual(sync, { ...NOTHING, changed: ["a", "b", "c", "d"] });
      const after = await table().list();
      assert.deepEqual(
        after.map((each) => each.id),
        before.map((each) => each.id),
      );
      const isLater = after.map((each, index) => each.updatedUtc > (before[index]?.updatedUtc ?? ""));
      assert.deepEqual(isLater, [true, true, true, true, false]);
      assert.deepEqual(
        after.map((each) => each.createdUtc),
        before.map((each) => each.createdUtc),
      );
    });

    it("frees a tool from quarantine", async () => {
      const id = await serverWith(subject.registry, "house", tool("a", { quarantine: "bad" }));
      assert.deepEqual(await table().sync(id, tools("a")), { ...NOTHING, changed: ["a"] });
      assert.ok(!("quarantine" in (await findTool(subject.registry, id, "a"))));
    });

    it("marks missing what is not listed, and takes it back with its id", async () => {
      const id = await serverWith(subject.registry, "house", ...tools("a", "b"));
      const { id: toolId, updatedUtc } = await findTool(subject.registry, id, "b");
      assert.deepEqual(await table().sync(id, tools("a")), { ...NOTHING, missing: ["b"] });
      const missing = await table().get(toolId);
      assert.ok(missing?.missing && missing.updatedUtc > updatedUtc);
      assert.deepEqual(await table().sync(id, tools("a")), NOTHING);
      assert.deepEqual(await table().sync(id, tools("a", "b")), { ...NOTHING, returned: ["b"] });
      const back = await table().get(toolId);
      assert.ok(back && !back.missing && back.updatedUtc > missing.updatedUtc);
    });

    it("names what came back changed once", async () => {
      const id = await serverWith(subject.registry, "house", ...tools("a"));
      await table().sync(id, []);
      const sync = await table().sync(id, [tool("a", { description: "new" })]);
      assert.deepEqual(sync, { ...NOTHING, returned: ["a"] });
      assert.equal((await findTool(subject.registry, id, "a")).description, "new");
    });

    it("keeps the bindings of tools that go missing and come back", async () => {
      const { registry } = subject;
      const id = await serverWith(registry, "house", ...tools("a", "b"));
      const agent = await registry.agents.create(newAgent("ana"));
      const { id: toolId } = await findTool(registry, id, "b");
      const binding = await registry.bindings.create({ agentId: agent.id, toolId, enabled: true });
      await table().sync(id, tools("a"));
      const [bound] = await registry.bindings.listOf(agent.id);
      assert.deepEqual([bound?.id, bound?.tool.missing], [binding.id, true]);
      await table().sync(id, tools("b"));
      const [again] = await registry.bindings.listOf(agent.id);
      assert.deepEqual([again?.id, again?.tool.missing, again?.tool.id], [binding.id, false, toolId]);
    });

    it("counts the last of several with one name", async () => {
      const { id } = await subject.registry.servers.create(newServer("house"));
      const twice = [tool("a", { description: "first" }), tool("b"), tool("a", { description: "last" })];
      assert.deepEqual(await table().sync(id, twice), { ...NOTHING, added: ["a", "b"] });
      assert.equal((await findTool(subject.registry, id, "a")).description, "last");
      assert.deepEqual(await table().sync(id, twice), NOTHING);
    });

    it("tells names apart that differ in case only", async () => {
      const id = await serverWith(subject.registry, "house", ...tools("on", "ON"));
      assert.equal(await table().count(), 2);
      assert.equal((await findTool(subject.registry, id, "ON")).name, "ON");
    });

    it("follows a new order, which is a change of the server and not of its tools", async () => {
      const { registry } = subject;
      const id = await serverWith(registry, "house", ...tools("a", "b", "c"));
      const before = await everything(registry);
      assert.deepEqual(await table().sync(id, tools("c", "a", "b")), NOTHING);
      const after = await everything(registry);
      assert.deepEqual(names(after.tools), ["c", "a", "b"]);
      assert.ok(after.version > before.version);
      assert.ok((after.servers[0]?.updatedUtc ?? "") > (before.servers[0]?.updatedUtc ?? ""));
      assert.deepEqual(new Set(after.tools), new Set(before.tools));
    });

    it("touches the time of its server, and of no other", async () => {
      const { registry } = subject;
      const [one, other] = [await serverWith(registry, "a"), await serverWith(registry, "b")];
      for (const found of [tools("x"), [tool("x", { scope: "new" })], [], tools("x")]) {
        const before = await Promise.all([one, other].map((id) => registry.servers.get(id)));
        await table().sync(one, found);
        const after = await Promise.all([one, other].map((id) => registry.servers.get(id)));
        assert.ok((after[0]?.updatedUtc ?? "") > (before[0]?.updatedUtc ?? ""));
        assert.deepEqual(after[1], before[1]);
      }
    });

    it("leaves the tools of other servers alone", async () => {
      const { registry } = subject;
      const [one, other] = [
        await serverWith(registry, "a", ...tools("x")),
        await serverWith(registry, "b", ...tools("x")),
      ];
      const before = await findTool(registry, other, "x");
      await table().sync(one, []);
      assert.deepEqual(await findTool(registry, other, "x"), before);
    });

    it("is refused of a server that is not there", async () => {
      await assert.rejects(table().sync("nobody", tools("a")), { name: "Dangling" });
      await assert.rejects(table().sync("nobody", []), TypeError);
    });

    it("may come from two stores at once: the ids stay, and one list is there in the end", async () => {
      const { registry } = subject;
      const other = await subject.another();
      const id = await serverWith(registry, "house", ...tools("a", "b", "c"));
      const ids = new Map((await table().list()).map((each) => [each.name, each.id]));
      const rounds = async (from: RegistryTables, ...lists: string[][]): Promise<void> => {
        for (let n = 0; n < 30; n++) for (const list of lists) await from.tools.sync(id, tools(...list));
      };
      await Promise.all([rounds(registry, ["a", "d"], ["b", "a", "c"]), rounds(other, ["c", "d"], ["b", "a", "c"])]);
      assert.deepEqual(names(await other.tools.list()), ["b", "a", "c"]);
      const all = await table().list({ withMissing: true });
      assert.deepEqual(names(all), ["b", "a", "c", "d"]);
      for (const each of all.slice(0, 3)) assert.equal(each.id, ids.get(each.name));
    });
  });

  describe("the version", () => {
    it("grows with every change of a server or tool, seen from another store too", async () => {
      const other = await subject.another();
      const { servers } = subject.registry;
      let id = "";
      const changes: readonly (() => Promise<unknown>)[] = [
        async () => ({ id } = await servers.create(newServer("house"))),
        () => servers.change(id, { name: "casa" }),
        () => servers.change(id, { lastSeenUtc: "2026-01-02T03:04:05.678Z" }),
        () => table().sync(id, tools("a", "b")),
        () => table().sync(id, tools("b", "a")),
        () => table().sync(id, [tool("b"), tool("a", { quarantine: "bad" })]),
        () => table().sync(id, tools("b")),
        () => other.tools.sync(id, tools("b", "a")),
        () => other.servers.change(id, { status: "error" }),
        () => other.servers.delete(id),
      ];
      for (const change of changes) {
        const before = await table().version();
        await change();
        assert.ok((await table().version()) > before, String(change));
        assert.equal(await other.tools.version(), await table().version());
      }
    });

    it("stays while nothing of servers and tools changes", async () => {
      const { registry } = subject;
      const id = await serverWith(registry, "house", ...tools("a"));
      const before = await table().version();
      const agent = await registry.agents.create(newAgent("ana"));
      const { id: toolId } = await findTool(registry, id, "a");
      await registry.bindings.create({ agentId: agent.id, toolId, enabled: true });
      await registry.servers.change("nobody", { name: "x" });
      await registry.servers.delete("nobody");
      await assert.rejects(registry.servers.create(newServer("house")));
      await everything(registry);
      assert.equal(await table().version(), before);
    });

    it("goes on where it was after a restart", async () => {
      await serverWith(subject.registry, "house", ...tools("a"));
      const before = await table().version();
      assert.equal(await (await subject.restarted()).tools.version(), before);
    });
  });
}

async function everything({ servers, tools: table }: RegistryTables) {
  const [listed, found, version] = [
    await servers.list(),
    await table.list({ withMissing: true }),
    await table.version(),
  ];
  return { servers: listed, tools: found, version };
}
