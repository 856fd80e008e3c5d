import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSlug, serverNameProblem, slugOf, slugsFor } from "./server-name.ts";

describe("a server's slug", () => {
  it("is its name, where that can stand in an address", () => {
    for (const name of ["files", "My-Server", "a_b.c", "1", "x".repeat(64)]) assert.equal(slugOf(name), name);
  });

  it("is made of the letters and digits of any other name", () => {
    assert.deepEqual(
      ["My Server", "Cámara del salón", "  ¡Hola!", "a__b", "trailing_", "@scope/server", "…", "我的服务器", ".."].map(
        slugOf,
      ),
      ["my-server", "camara-del-salon", "hola", "a_b", "trailing", "scope-server", "server", "server", "server"],
    );
  });

  it("is never the simulated house's", () => {
    assert.equal(slugOf("House!"), "server");
  });

  it("has a number where others have the plain one, and can always stand in an address", () => {
    for (const name of ["My Server", "my-server", "x y".repeat(33), "x".repeat(64)]) {
      const [first, second, third] = firstThree(name);
      assert.equal(new Set([first, second, third]).size, 3);
      assert.ok(
        [first, second, third].every((slug) => isSlug(slug ?? "")),
        `${first} ${second}`,
      );
    }
    assert.deepEqual(firstThree("My Server"), ["my-server", "my-server-2", "my-server-3"]);
  });
});

function firstThree(name: string): readonly string[] {
  const slugs = slugsFor(name);
  return [1, 2, 3].map(() => slugs.next().value);
}

describe("a server's name", () => {
  it("is any text on one line", () => {
    for (const name of ["My Server", "¿qué?", "我的服务器", "a/b?c#d%", "__", "x".repeat(100)])
      assert.equal(serverNameProblem(name), undefined, name);
  });

  it("is neither empty, too long, the house's nor anything that cannot be read", () => {
    for (const name of ["", " ", " x", "x\n", "a\u0000b", "\ud800", "x".repeat(101), "house", "__proto__"])
      assert.ok(serverNameProblem(name), JSON.stringify(name));
  });
});
