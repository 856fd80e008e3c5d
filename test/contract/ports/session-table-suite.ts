/** What every implementation of the port `SessionTable` promises. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionEntry, SessionTable } from "../../../src/core/shared/session-table.ts";

/** `open` makes one for so many sessions. */
export function describeSessionTable(name: string, open: (most: () => number) => SessionTable<SessionEntry>): void {
  describe(`session table: ${name}`, () => {
    const session = (id: string, principalId = "ann", scope = "", account = principalId): SessionEntry => ({
      id,
      principalId,
      account,
      scope,
    });

    it("finds a session for whoever opened it, where it was opened, until it is removed", () => {
      const table = open(() => 10);
      const mine = session("1", "ann", "server/x");
      table.add(mine);
      assert.equal(table.find("1", "ann", "server/x"), mine);
      const others = [table.find("1", "bob", "server/x"), table.find("1", "ann", ""), table.find("2", "ann", "")];
      assert.deepEqual(others, [undefined, undefined, undefined]);
      assert.deepEqual([table.size, [...table.held()]], [1, [mine]]);
      table.remove(mine);
      table.remove(mine);
      assert.deepEqual([table.size, table.find("1", "ann", "server/x")], [0, undefined]);
    });

    it("leaves room for others, and has room again when somebody leaves", () => {
      const table = open(() => 10);
      const anns = Array.from({ length: 8 }, (_, n) => session(`${n}`));
      for (const one of anns) table.add(one);
      assert.deepEqual([table.hasRoom("ann"), table.hasRoom("bob")], [false, true]);
      for (const id of ["b1", "b2"]) table.add(session(id, "bob"));
      assert.equal(table.hasRoom("bob"), false);
      table.remove(anns[0] as SessionEntry);
      assert.deepEqual([table.hasRoom("ann"), table.hasRoom("bob")], [true, true]);
    });

    it("follows a limit that changes", () => {
      let most = 1;
      const table = open(() => most);
      table.add(session("1"));
      assert.equal(table.hasRoom("bob"), false);
      most = 4;
      assert.equal(table.hasRoom("bob"), true);
    });
  });
}
