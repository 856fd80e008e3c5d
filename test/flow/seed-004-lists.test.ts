/**
 * Seed 004's two lists as a test: `GET /api/tools/discover` in the real system's form and `GET /mcp/tools/list` in the
 * form that the document prints, over one catalogue. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { clima4, created, type OpenWeather, openWeather, PRINTED_TOOL, parameter, UTC } from "../support/seed-004.ts";

const EXTRAS = ["type", "parameters", "totalCount", "lastUpdated"];

let house: OpenWeather;
before(async () => {
  house = await openWeather();
  created(await house.tools.post(clima4()));
});
after(() => house?.stop());

describe("GET /api/tools/discover", () => {
  it("answers with every field of the real system, and no other", async () => {
    const told = await house.tools.discover();
    assert.deepEqual(Object.keys(told).sort(), ["lastUpdated", "tools", "totalCount"]);
    assert.equal(told.totalCount, 1);
    const { name, description, inputSchema: parameters } = PRINTED_TOOL;
    assert.deepEqual(told.tools, [{ name, description, type: "api_tool", parameters }]);
  });

  it("says when the tools were changed last, in UTC", async () => {
    const { lastUpdated } = await house.tools.discover();
    assert.match(lastUpdated, UTC);
    assert.ok(Date.parse(lastUpdated) <= Date.now() + 1_000, lastUpdated);
    const second = Math.floor(Date.now() / 1_000) * 1_000;
    const { id } = await house.tools.add("otra", "/v1/current.json");
    const changed = await house.tools.discover();
    assert.ok(Date.parse(changed.lastUpdated) >= second, changed.lastUpdated);
    await house.tools.delete(id);
  });

  it("counts what it lists", async () => {
    const { id } = await house.tools.add("segunda", "/v1/current.json");
    const { tools, totalCount } = await house.tools.discover();
    assert.deepEqual([tools.length, totalCount], [2, 2]);
    await house.tools.delete(id);
    assert.equal((await house.tools.discover()).totalCount, 1);
  });

  it("has the types of parameters in small letters, and in required what is so", async () => {
    const kinds = ["STRING", "NUMBER", "BOOLEAN", "OBJECT", "ARRAY"] as const;
    const parameters = kinds.map((type) => parameter(type.toLowerCase(), { type, required: type === "NUMBER" }));
    const { id } = await house.tools.add("tipos", "/v1/echo", { httpMethod: "POST", parameters });
    const tool = (await house.tools.discover()).tools.find(({ name }: Message) => name === "tipos");
    assert.equal(tool.parameters.type, "object");
    for (const { name, description } of parameters) {
      assert.deepEqual(
        [tool.parameters.properties[name].type, tool.parameters.properties[name].description],
        [name, description],
      );
    }
    assert.deepEqual(tool.parameters.required, ["number"]);
    await house.tools.delete(id);
  });

  it("does not list a tool that is not enabled", async () => {
    const { id } = await house.tools.add("apagada", "/v1/current.json", { enabled: false });
    assert.deepEqual(
      (await house.tools.discover()).tools.map(({ name }: Message) => name),
      ["clima4"],
    );
    await house.tools.delete(id);
  });
});

describe("GET /mcp/tools/list", () => {
  it("answers in JSON-RPC 2.0 as printed: no id came, so none goes back", async () => {
    const { status, headers, text, body } = await house.tools.http.get("/mcp/tools/list");
    assert.equal(status, 200);
    assert.match(headers.get("content-type") ?? "", /^application\/json/);
    assert.deepEqual(Object.keys(body).sort(), ["jsonrpc", "result"], text);
    assert.equal(body.jsonrpc, "2.0");
    assert.deepEqual(Object.keys(body.result), ["tools"], text);
  });

  it("has clima4 as printed", async () => {
    const [tool, ...others] = await house.tools.list();
    assert.deepEqual(others, []);
    const { name, description, inputSchema } = tool;
    assert.deepEqual({ name, description, inputSchema }, PRINTED_TOOL);
  });

  it("has none of the fields that the document takes away", async () => {
    for (const tool of await house.tools.list())
      assert.deepEqual(
        Object.keys(tool).filter((key) => EXTRAS.includes(key)),
        [],
      );
  });

  it("is asked with GET; whoever posts without a session is told what to do", async () => {
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };
    const { status, text } = await house.tools.http.post("/mcp/tools/list", list);
    assert.ok(status === 400 || status === 404, text);
    assert.match(text, /X-Session-ID|\/mcp\/initialize/i);
  });
});

describe("one catalogue", () => {
  let whole: OpenWeather;
  before(async () => {
    whole = await openWeather({ config: { devices: { house: true } } });
    created(await whole.tools.post(clima4()));
  });
  after(() => whole?.stop());

  it("is in both faces and at every other door, the house included", async () => {
    const everywhere = (await whole.tools.http.names("/mcp")).sort();
    assert.ok(everywhere.includes("clima4") && everywhere.includes("get_presence"), everywhere.join());
    const discovered = (await whole.tools.discover()).tools;
    assert.deepEqual(discovered.map(({ name }: Message) => name).sort(), everywhere);
    assert.deepEqual((await whole.tools.list()).map(({ name }) => name).sort(), everywhere);
    for (const { type, parameters } of discovered)
      assert.deepEqual([typeof type, parameters.type], ["string", "object"]);
  });

  it("marks as read-only at the other doors what is only read", async () => {
    await whole.tools.add("escribe", "/v1/echo", { httpMethod: "POST" });
    const { body } = await whole.tools.http.rpc("/mcp", "tools/list");
    const hintOf = (wanted: string): unknown =>
      body.result.tools.find(({ name }: Message) => name === wanted)?.annotations?.readOnlyHint;
    assert.equal(hintOf("clima4"), true);
    assert.notEqual(hintOf("escribe"), true);
  });

  it("is called in both faces whatever is behind", async () => {
    const { body } = await whole.tools.call("get_presence", {}, 7);
    assert.deepEqual([body.id, body.result.isError ?? false], [7, false]);
    const { body: executed } = await whole.tools.execute("get_presence", {});
    assert.equal(executed.success, true);
    assert.match(JSON.stringify(executed.result), /present/);
  });
});

describe("the four paths", () => {
  const PATHS = [
    ["GET", "/api/tools/discover"],
    ["POST", "/api/tools/execute"],
    ["GET", "/mcp/tools/list"],
    ["POST", "/mcp/tools/call"],
  ] as const;

  it("are closed to pages of a foreign origin, whatever the document configures", async () => {
    const foreign = new RegistryClient(house.hub.url, { origin: "https://evil.example" });
    for (const [method, path] of PATHS) {
      const { status, headers } = await foreign.send(method, path, method === "POST" ? {} : undefined);
      assert.deepEqual([status, headers.get("access-control-allow-origin")], [403, null], path);
    }
  });

  it("say which method they are for", async () => {
    for (const [method, path] of PATHS) {
      const { status, headers } = await house.tools.http.send("PUT", path, {});
      assert.equal(status, 405, path);
      assert.match(headers.get("allow") ?? "", new RegExp(method), path);
    }
  });

  it("stand in the description of the REST part", async () => {
    const { paths } = (await house.tools.http.get("/openapi.json")).body;
    for (const [method, path] of PATHS) assert.ok(paths[path]?.[method.toLowerCase()], `${method} ${path}`);
  });
});
