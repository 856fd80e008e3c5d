/** Lists of tools that are made from kept parts: nobody may see that they are. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { newServer, serverWith, tool } from "../../../test/contract/registry-fixtures.ts";
import { type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import { mayUse } from "../../core/access.ts";
import type { Principal, ToolDefinition } from "../../core/call.ts";
import type { FoundTool } from "../../store/registry.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import type { Store } from "../../store/store.ts";
import type { DoorContext } from "../door.ts";
import { restDoor } from "../rest/route.ts";
import { toolRoutes } from "./tools.ts";
import { toolView } from "./views.ts";

const SCHEMA = { type: "object", properties: { room: { type: "string" } } };

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly publicName?: string;
  readonly description: string;
  readonly serverName: string;
  readonly inputSchema: object;
  readonly inputSchemaJson: string;
}

describe("a list of tools", () => {
  let store: Store;
  let doors: OpenDoors;
  let principal: Principal;
  /** What the hub offers of each tool, by `server__tool`. */
  let offered: Map<string, ToolDefinition>;
  /** Tools that are called by their qualified names in the hub, and how often that may have changed. */
  let renamed: ReadonlySet<string>;
  let version: number;

  beforeEach(async () => {
    store = await openSqliteStore(":memory:");
    principal = { id: "key:k", kind: "key", name: "k" };
    offered = new Map();
    renamed = new Set();
    version = 0;
    const registry = { tables: store.registry } as DoorContext["registry"];
    doors = await openDoors([(context) => restDoor(context, "tools", toolRoutes(context))], {
      registry,
      authenticate: async () => principal,
    });
    doors.gateway.findTool = (who, name) => {
      const [source = "", own = ""] = name.split("__");
      return mayUse(who, source, own) ? offered.get(name) : undefined;
    };
    doors.gateway.namesVersion = () => version;
    doors.gateway.renamed = (source, own) => (renamed.has(`${source}__${own}`) ? `${source}__${own}` : undefined);
  });
  afterEach(async () => {
    await doors.close();
    await store.close();
  });

  const list = async (query = ""): Promise<readonly Shown[]> => {
    const { status, text } = await doors.ask(`/mcp/tools/all${query}`);
    assert.equal(status, 200, text);
    return JSON.parse(text);
  };
  const offer = (name: string, inputSchema: ToolDefinition["inputSchema"] = SCHEMA) =>
    offered.set(name, { name: name.split("__")[1] ?? "", inputSchema });

  it("says of each what is said of it alone, in every letter", async () => {
    const odd = { ...found("óδ\u2028d"), description: 'a "quoted"\n\u0000 🏠', quarantine: "bad", scope: "room" };
    await serverWith(store.registry, "one", found("a"), odd, tool("bare", { definition: "{}" }));
    const records = await store.registry.tools.list();
    const { text, headers } = await doors.ask("/mcp/tools/all");
    assert.equal(text, JSON.stringify(records.map((record) => toolView(record))));
    assert.deepEqual([headers["content-type"], headers["x-total-count"]], ["application/json", "3"]);
    for (const shown of await list()) assert.deepEqual((await doors.ask(`/mcp/tools/${shown.id}`)).json, shown);
    assert.deepEqual(await list("?search=nothing"), []);
  });

  it("tells a tool's title, and what its server says of it, where it says anything", async () => {
    const said = { title: "A lamp", annotations: { readOnlyHint: true, own: 1 } };
    const definition = JSON.stringify({ name: "lamp", inputSchema: SCHEMA, ...said });
    await serverWith(store.registry, "one", tool("lamp", { definition }), found("plain"));
    const [lamp, plain] = (await list()) as readonly (Shown & { title?: string; annotations?: object })[];
    assert.deepEqual([lamp?.title, lamp?.annotations], [said.title, said.annotations]);
    assert.ok(plain && !("title" in plain) && !("annotations" in plain));
  });

  it("shows at once that a tool changed, moved, went or came", async () => {
    const id = await serverWith(store.registry, "one", found("a"), found("b"));
    await list();
    const changed = { type: "object", properties: { level: { type: "integer" } } };
    await store.registry.tools.sync(id, [found("b"), found("a", "new words", changed)]);
    const shown = await list();
    assert.deepEqual(namesOf(shown), ["b", "a"]);
    assert.deepEqual([shown[1]?.description, shown[1]?.inputSchema], ["new words", changed]);
    assert.deepEqual(namesOf(await list("?search=WORDS")), ["a"]);
    await store.registry.tools.sync(id, [found("b"), found("c")]);
    assert.deepEqual(namesOf(await list()), ["b", "c"]);
    assert.deepEqual(namesOf(await list("?withMissing=true")), ["b", "c", "a"]);
  });

  it("shows at once that a server has another name, or is gone", async () => {
    const id = await serverWith(store.registry, "one", found("a"));
    await store.registry.servers.create(newServer("other"));
    assert.deepEqual(serversOf(await list("?search=a")), ["one"]);
    await store.registry.servers.change(id, { name: "uno" });
    assert.deepEqual([serversOf(await list("?search=a")), serversOf(await list())], [["uno"], ["uno"]]);
    await store.registry.servers.delete(id);
    assert.deepEqual([await list("?search=a"), await list()], [[], []]);
  });

  it("shows at once that the caller may use less, or more", async () => {
    await serverWith(store.registry, "one", found("a"), found("b"));
    for (const name of ["one__a", "one__b"]) offer(name);
    assert.deepEqual(namesOf(await list()), ["a", "b"]);
    principal = { ...principal, allow: ["one__b"] };
    assert.deepEqual([namesOf(await list()), namesOf(await list("?search=does"))], [["b"], ["b"]]);
    principal = { ...principal, allow: ["*"] };
    assert.deepEqual(namesOf(await list()), ["a", "b"]);
    assert.deepEqual(namesOf(await list("?offset=1&limit=1")), ["b"]);
    principal = { ...principal, allow: [] };
    assert.deepEqual(await list(), []);
  });

  it("shows at once that another has the older right to a name, and that it has it no more", async () => {
    await serverWith(store.registry, "one", found("a"));
    await serverWith(store.registry, "two", found("a"), found("b"), tool("a-gone"));
    const [id] = (await store.registry.tools.list({ search: "a" })).filter(({ serverName }) => serverName === "two");
    for (const name of ["one__a", "two__a", "two__b"]) offer(name);
    const clash = (names: readonly string[]): void => {
      version++;
      renamed = new Set(names);
    };
    const tags = new Set<unknown>();
    const publicNames = async () => {
      const { headers, text } = await doors.ask("/mcp/tools/all");
      tags.add(headers.etag);
      return (JSON.parse(text) as Shown[]).map(({ name, publicName }) => publicName ?? name);
    };
    const whole: Principal = { id: "key:k", kind: "key", name: "k" };
    for (const who of [whole, { ...whole, allow: ["*"] }]) {
      principal = who;
      clash([]);
      const before = await publicNames();
      const tag = (await doors.ask("/mcp/tools/all")).headers.etag ?? "";
      clash(["two__a"]);
      const during = await publicNames();
      assert.equal((await doors.ask("/mcp/tools/all", { headers: { "if-none-match": tag } })).status, 200);
      const { json: one } = await doors.ask(`/mcp/tools/${id?.id}`);
      assert.deepEqual([one["name"], one["publicName"]], ["a", "two__a"]);
      clash([]);
      const after = await publicNames();
      assert.equal((await doors.ask("/mcp/tools/all", { headers: { "if-none-match": tag } })).status, 304);
      assert.equal("publicName" in (await doors.ask(`/mcp/tools/${id?.id}`)).json, false);
      const rest = before.slice(2);
      assert.deepEqual(
        [before, during, after],
        [
          ["a", "a", ...rest],
          ["a", "two__a", ...rest],
          ["a", "a", ...rest],
        ],
      );
    }
    assert.equal(tags.size, 4);
  });

  it("gives no public name to what its server does not list any more", async () => {
    const id = await serverWith(store.registry, "two", found("a"), found("b"));
    renamed = new Set(["two__a"]);
    version++;
    await store.registry.tools.sync(id, [found("b")]);
    const shown = await list("?withMissing=true");
    assert.deepEqual(
      shown.map(({ name, publicName }) => [name, publicName]),
      [
        ["b", undefined],
        ["a", undefined],
      ],
    );
  });

  it("shows to who may use some what is offered to it, under the server's name of now", async () => {
    const id = await serverWith(store.registry, "one", found("a"));
    const narrow = { type: "object", properties: {} };
    offer("one__a", narrow);
    for (const allow of [undefined, ["*"], ["one__a"], undefined]) {
      principal = { id: "key:k", kind: "key", name: "k", ...(allow && { allow }) };
      const expected = allow ? narrow : SCHEMA;
      const [shown] = await list();
      assert.deepEqual([shown?.inputSchema, shown?.inputSchemaJson], [expected, JSON.stringify(expected)]);
    }
    principal = { ...principal, allow: ["*"] };
    await list();
    // The definition that is offered may be the same object as before.
    offered.set("uno__a", offered.get("one__a") as ToolDefinition);
    await store.registry.servers.change(id, { name: "uno" });
    assert.deepEqual(serversOf(await list()), ["uno"]);
    offer("uno__a");
    assert.deepEqual((await list())[0]?.inputSchema, SCHEMA);
  });
});

function found(name: string, description = `Does ${name}`, inputSchema: object = SCHEMA): FoundTool {
  return tool(name, { description, definition: JSON.stringify({ name, description, inputSchema }) });
}

function namesOf(shown: readonly Shown[]): string[] {
  return shown.map(({ name }) => name);
}

function serversOf(shown: readonly Shown[]): string[] {
  return shown.map(({ serverName }) => serverName);
}
