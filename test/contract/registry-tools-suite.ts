/** The contract of how tools are read: one, listed, searched and counted. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ToolQuery, ToolTable } from "../../src/store/registry.ts";
import { findTool, names, newServer, SQL, serverWith, tool, tools } from "./registry-fixtures.ts";
import type { Subject } from "./registry-suite.ts";

export function describeTools(subject: Subject): void {
  const table = (): ToolTable => subject.registry.tools;

  /** Names of what is listed; what is counted must agree. */
  const listed = async (query: ToolQuery = {}): Promise<string[]> => {
    const found = names(await table().list(query));
    if (query.limit === undefined && query.offset === undefined) assert.equal(await table().count(query), found.length);
    return found;
  };

  describe("tools", () => {
    it("has nothing where nothing was found", async () => {
      const { id } = await subject.registry.servers.create(newServer("house"));
      assert.equal(await table().get("nothing"), undefined);
      assert.equal(await table().findByName(id, "nothing"), undefined);
      assert.equal(await table().findByName("nobody", "nothing"), undefined);
      assert.deepEqual(await listed(), []);
      assert.deepEqual(await listed({ serverId: "nobody" }), []);
    });

    it("gives one by id, or by its server and its name to the letter", async () => {
      const one = await serverWith(subject.registry, "one", ...tools("on"));
      const two = await serverWith(subject.registry, "two", ...tools("on"));
      const found = await findTool(subject.registry, two, "on");
      assert.deepEqual([found.serverId, found.serverName], [two, "two"]);
      assert.deepEqual(await table().get(found.id), found);
      assert.notEqual((await findTool(subject.registry, one, "on")).id, found.id);
      assert.equal(await table().findByName(two, "ON"), undefined);
    });

    it("gives a missing one too, by id and by name", async () => {
      const id = await serverWith(subject.registry, "house", ...tools("on"));
      await table().sync(id, []);
      const found = await findTool(subject.registry, id, "on");
      assert.equal(found.missing, true);
      assert.deepEqual(await table().get(found.id), found);
    });

    it("tells the name that its server has now", async () => {
      const id = await serverWith(subject.registry, "house", ...tools("on"));
      await subject.registry.servers.change(id, { name: "casa" });
      assert.equal((await findTool(subject.registry, id, "on")).serverName, "casa");
    });

    it("lists in the order of servers and of their lists", async () => {
      const [z, a] = [await serverWith(subject.registry, "z"), await serverWith(subject.registry, "a")];
      await table().sync(a, tools("4", "3"));
      await table().sync(z, tools("2", "1"));
      assert.deepEqual(await listed(), ["2", "1", "4", "3"]);
      await table().sync(z, tools("0", "2", "1"));
      assert.deepEqual(await listed(), ["0", "2", "1", "4", "3"]);
      assert.deepEqual(await listed({ serverId: a }), ["4", "3"]);
    });

    it("lists missing ones only if asked, behind the others of their server", async () => {
      const one = await serverWith(subject.registry, "one", ...tools("a", "b"));
      await serverWith(subject.registry, "two", ...tools("c"));
      await table().sync(one, tools("b"));
      assert.deepEqual(await listed(), ["b", "c"]);
      assert.deepEqual(await listed({ withMissing: true }), ["b", "a", "c"]);
      assert.deepEqual(await listed({ withMissing: false, serverId: one }), ["b"]);
      assert.deepEqual(await listed({ withMissing: true, serverId: one, search: "does" }), ["b", "a"]);
      assert.deepEqual(await listed({ search: "a" }), []);
    });

    it("lists those in quarantine too", async () => {
      await serverWith(subject.registry, "house", tool("a", { quarantine: "bad" }));
      assert.deepEqual(await listed(), ["a"]);
    });

    it("lists in pages that make up the whole", async () => {
      for (const server of ["x", "y", "z"]) await serverWith(subject.registry, server, ...tools("1", "2", "3"));
      const whole = await table().list();
      const pages = [];
      for (let offset = 0; offset < 12; offset += 2) pages.push(await table().list({ offset, limit: 2 }));
      assert.deepEqual(
        pages.map((page) => page.length),
        [2, 2, 2, 2, 1, 0],
      );
      assert.deepEqual(pages.flat(), whole);
      assert.deepEqual(await listed({ offset: 7 }), ["2", "3"]);
      assert.deepEqual(await listed({ limit: 0 }), []);
      assert.deepEqual(await listed({ search: "2", offset: 1, limit: 1 }), ["2"]);
    });
  });

  describe("a search for tools", () => {
    it("wants all words, in name or description, in any order and case", async () => {
      const lamp = tool("lamp_on", { description: "Turns the Lamp of a room ON" });
      const door = tool("door_open", { description: "Opens the door of a room" });
      await serverWith(subject.registry, "house", lamp, door);
      assert.deepEqual(await listed({ search: "ROOM" }), ["lamp_on", "door_open"]);
      assert.deepEqual(await listed({ search: "room lamp" }), ["lamp_on"]);
      assert.deepEqual(await listed({ search: "  open\tturns\n" }), []);
      assert.deepEqual(await listed({ search: "r_open opens a the of" }), ["door_open"]);
      assert.deepEqual(await listed({ search: "lamp_onTurns" }), []);
    });

    it("finds all if it holds no word", async () => {
      await serverWith(subject.registry, "house", ...tools("a", "b"));
      for (const search of ["", " \t\n", undefined]) assert.deepEqual(await listed({ search }), ["a", "b"]);
    });

    it("takes % and _, and anything else, to mean themselves", async () => {
      const texts = ["100%", "a_b", "axb", "*?[a]", "back\\slash", 'quote"', SQL];
      await serverWith(subject.registry, "house", ...texts.map((text) => tool(text, { description: "" })));
      assert.deepEqual(await listed({ search: "0%" }), ["100%"]);
      assert.deepEqual(await listed({ search: "a_b" }), ["a_b"]);
      assert.deepEqual(await listed({ search: "%" }), ["100%", SQL]);
      assert.deepEqual(await listed({ search: "_ a" }), ["a_b", SQL]);
      assert.deepEqual(await listed({ search: "[A]" }), ["*?[a]"]);
      assert.deepEqual(await listed({ search: "\\s" }), ["back\\slash"]);
      assert.deepEqual(await listed({ search: 'e"' }), ['quote"']);
      assert.deepEqual(await listed({ search: SQL }), [SQL]);
    });

    it("knows the case of every alphabet, and looks over how letters are composed", async () => {
      await serverWith(
        subject.registry,
        "house",
        tool("ÁRBOL", { description: "Enciende el ÁRBOL" }),
        tool("дом", { description: "Дом, милый дом" }),
        tool("κόσμος", { description: "ΚΟΣΜΟΣ" }),
        tool("客厅", { description: "打开客厅的灯 🏠" }),
        tool("caf\u00e9"),
      );
      assert.deepEqual(await listed({ search: "árbol ENCIENDE" }), ["ÁRBOL"]);
      assert.deepEqual(await listed({ search: "МИЛЫЙ" }), ["дом"]);
      assert.deepEqual(await listed({ search: "ΚΟΣ" }), ["κόσμος"]);
      assert.deepEqual(await listed({ search: "客厅 🏠" }), ["客厅"]);
      assert.deepEqual(await listed({ search: "CAFE\u0301" }), ["caf\u00e9"]);
      assert.deepEqual(await listed({ search: "arbol" }), []);
    });

    it("looks at what a tool says now, and at no other part of it", async () => {
      const id = await serverWith(subject.registry, "house", tool("a", { description: "old", definition: '{"x":1}' }));
      await table().sync(id, [tool("a", { description: "new", definition: '{"y":1}' })]);
      assert.deepEqual(await listed({ search: "old" }), []);
      assert.deepEqual(await listed({ search: "new" }), ["a"]);
      for (const search of ["y", "global", "house"]) assert.deepEqual(await listed({ search }), []);
    });

    it("may hold half a surrogate pair, which stands in no text", async () => {
      await serverWith(subject.registry, "house", ...tools("a"));
      for (const withMissing of [false, true]) assert.deepEqual(await listed({ search: "a \ud800", withMissing }), []);
    });

    it("may have very many words", async () => {
      await serverWith(subject.registry, "house", tool("a", { description: "needle" }));
      assert.deepEqual(await listed({ search: "needle ".repeat(5000) }), ["a"]);
      assert.deepEqual(await listed({ search: `${"needle ".repeat(5000)} hay` }), []);
    });
  });
}
