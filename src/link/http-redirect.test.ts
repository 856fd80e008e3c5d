import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { ANSWER, CALL, cleanUp, connect, failure, json, serve, until } from "../../test/support/http-house.ts";
import { redirectTarget } from "./http-redirect.ts";

afterEach(cleanUp);

describe("a redirect", () => {
  const target = { origin: "http://house.example", path: "/mcp" };
  const cases: readonly (readonly [string, "POST" | "GET", number, string | undefined, string | undefined])[] = [
    ["to a path of the same origin is followed", "POST", 307, "/mcp/", "/mcp/"],
    ["is followed where it is for good", "POST", 308, "http://house.example/mcp/?a=1", "/mcp/?a=1"],
    ["is followed where it is relative", "POST", 307, "v2/mcp", "/v2/mcp"],
    ["that makes a GET of a POST is not followed", "POST", 303, "/mcp/", undefined],
    ["of a GET is followed, whatever its number", "GET", 302, "/sse/", "/sse/"],
    ["to another host is not", "POST", 307, "http://other.example/mcp", undefined],
    ["to another scheme is not", "POST", 307, "https://house.example/mcp", undefined],
    ["to another port is not", "GET", 307, "http://house.example:81/mcp", undefined],
    ["that begins like a path is not, where it is a host", "POST", 307, "//other.example/mcp", undefined],
    ["to nowhere is not", "POST", 307, undefined, undefined],
    ["to what is no URL is not", "POST", 307, "http://", undefined],
    ["is none with another status", "POST", 200, "/mcp/", undefined],
  ];
  for (const [what, method, status, location, path] of cases) {
    it(what, () => assert.equal(redirectTarget({ method, target }, status, { location })?.path, path));
  }
});

describe("a server that redirects to another path of its own", () => {
  it("gets the same request there, and everything that follows at once", async () => {
    const house = await serve((seen, response) => {
      if (seen.url === "/mcp?x=1") response.writeHead(307, { location: "/mcp/" }).end("moved");
      else json(response, 200, ANSWER);
    });
    const { link, messages } = await connect(house, { headers: { authorization: "Bearer secret" } });
    for (let i = 0; i < 2; i++) await link.send(CALL, new AbortController().signal);
    await until(() => messages.length === 2);
    assert.deepEqual(
      house.seen.map(({ method, url, body, headers }) => [method, url, body, headers.authorization]),
      ["/mcp?x=1", "/mcp/", "/mcp/"].map((path) => ["POST", path, CALL, "Bearer secret"]),
    );
  });

  it("is not followed for ever", async () => {
    let hops = 0;
    const house = await serve((_seen, response) => response.writeHead(307, { location: `/${hops++}` }).end());
    const { link } = await connect(house);
    const error = await failure(link.send(CALL, new AbortController().signal));
    assert.match(String(error.details.params?.["reason"]), /redirects to \/5 \(HTTP 307\), which is not followed/);
    assert.equal(house.seen.length, 6);
  });

  it("is asked no more once the caller has left", async () => {
    const caller = new AbortController();
    const house = await serve((_seen, response) => {
      response.writeHead(307, { location: "/mcp/" }).write("x");
      caller.abort();
    });
    const { link } = await connect(house);
    assert.equal((await failure(link.send(CALL, caller.signal))).code, "CANCELLED");
    await until(() => house.sockets.size === 0);
    assert.equal(house.seen.length, 1);
  });
});
