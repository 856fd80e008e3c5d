import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Door, Route } from "../door.ts";
import { pathOf, Routes } from "./routes.ts";

describe("routes", () => {
  it("are found by exact path, from several doors", () => {
    const [get, post] = [route("GET", "/mcp"), route("POST", "/mcp")];
    const routes = new Routes([door(get), door(post, route("GET", "/"))]);
    assert.deepEqual(
      [...(routes.find("/mcp")?.methods ?? [])],
      [
        ["GET", get],
        ["POST", post],
      ],
    );
    for (const path of ["/MCP", "/mcp/", "//mcp", "/./mcp", "/%6dcp", "mcp", "/mcp;x", "/constructor", ""]) {
      assert.equal(routes.find(path), undefined, path);
    }
  });

  it("may leave a segment open, which is then named and decoded", () => {
    const get = route("GET", "/servers/{name}/mcp");
    const routes = new Routes([door(get)]);
    const place = routes.find("/servers/my%20files/mcp");
    assert.deepEqual([place?.names["name"], place?.methods.get("GET")], ["my files", get]);
    for (const path of ["/servers//mcp", "/servers/a/b/mcp", "/servers/a", "/servers/%zz/mcp", "/servers/a/mcp/"]) {
      assert.equal(routes.find(path), undefined, path);
    }
  });

  it("are a placeholder's where the exact path has no such method", () => {
    const [post, get] = [route("POST", "/servers/preview"), route("GET", "/servers/{id}")];
    const routes = new Routes([door(post, get)]);
    const found = (method: string) => routes.find("/servers/preview", method);
    assert.equal(found("POST")?.methods.get("POST"), post);
    assert.deepEqual([found("GET")?.methods.get("GET"), found("GET")?.names["id"]], [get, "preview"]);
    assert.deepEqual([...(found("PUT")?.methods.keys() ?? [])], ["POST"]);
  });

  it("may not be claimed twice", () => {
    assert.throws(() => new Routes([door(route("GET", "/")), door(route("GET", "/"))]), /two doors claim GET \//);
  });
});

describe("the path of a request", () => {
  const cases = [
    [undefined, "/"],
    ["/mcp", "/mcp"],
    ["/mcp?a=1?b", "/mcp"],
    ["/?", "/"],
    ["//evil.example/mcp", "//evil.example/mcp"],
    ["http://evil.example/mcp", "http://evil.example/mcp"],
    ["/a/../mcp", "/a/../mcp"],
    ["*", "*"],
  ] as const;
  for (const [url, path] of cases) it(`${url} → ${path}`, () => assert.equal(pathOf(url), path));
});

function route(method: Route["method"], path: string): Route {
  return { method, path, needs: "see", handle: () => {} };
}

function door(...routes: Route[]): Door {
  return { name: "test", routes };
}
