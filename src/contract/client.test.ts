import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeClient, pathOf } from "./client.ts";
import { operations } from "./operations.ts";

describe("the typed client", () => {
  const sent: unknown[] = [];
  const client = makeClient<string>(async (...asked) => {
    sent.push(asked);
    return { key: "k" };
  });

  it("sends to the operation's place, with what stands in its path escaped", async () => {
    await client.changeBinding({ id: "a/b", bindingId: "1", body: { enabled: false } }, "extra");
    assert.deepEqual(sent.pop(), ["PATCH", "/agents/a%2Fb/bindings/1", { enabled: false }, "extra"]);
  });

  it("asks for what is given, and for nothing that is empty", async () => {
    await client.listServers();
    await client.listAllTools({ query: { search: "", limit: 5, withMissing: true, offset: undefined } });
    assert.deepEqual(sent.splice(0), [
      ["GET", "/mcp/servers", undefined, undefined],
      ["GET", "/mcp/tools/all?limit=5&withMissing=true", undefined, undefined],
    ]);
    assert.equal(pathOf("listToolsOfServer", { query: { serverId: "a b" } }), "/mcp/tools?serverId=a+b");
  });

  it("has every operation, and gives the answer", async () => {
    const ids = Object.values(operations).flatMap((door) => Object.keys(door));
    assert.deepEqual(
      ids.filter((id) => !(id in client)),
      [],
    );
    assert.equal((await client.createKey({ body: { name: "n" } })).key, "k");
  });

  it("does not compile with what an operation does not take", () => {
    // @ts-expect-error: it has a name in its path.
    const unnamed = () => client.getServer();
    // @ts-expect-error: it needs a body.
    const unsaid = () => client.createServer({});
    // @ts-expect-error: it answers nothing.
    const answered = async () => (await client.deleteServer({ id: "a" })).id;
    assert.equal([unnamed, unsaid, answered].length, 3);
  });
});
