/** Talking to a hub, and to things that are none. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, test } from "node:test";
import { CommandFailure } from "./failures.ts";
import { hubAt, listTools } from "./hub-client.ts";

const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close().closeAllConnections();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answering(status: number, body: string): Promise<string> {
  return serve((_, response) => response.writeHead(status).end(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of request.setEncoding("utf8")) chunks.push(String(chunk));
  return chunks.join("");
}

function failing(text: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof CommandFailure && text.test(error.message);
}

describe("a request", () => {
  test("is bare JSON-RPC with the key, the language, and parameters as they were written", async () => {
    let [seen, headers, path]: [string, IncomingMessage["headers"], string | undefined] = ["", {}, ""];
    const url = await serve(async (request, response) => {
      [headers, path] = [request.headers, request.url];
      seen = await bodyOf(request);
      response.end('{"jsonrpc":"2.0","id":1,"result":{"ok":1}}');
    });
    const result = await hubAt(url, "zgn_x", "fr").rpc("tools/call", '{"n":12345678901234567890}');
    assert.deepEqual(result, { ok: 1 });
    assert.equal(seen, '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"n":12345678901234567890}}');
    assert.equal(path, "/mcp");
    const { authorization, "accept-language": language, "content-type": type } = headers;
    assert.deepEqual([authorization, language, type], ["Bearer zgn_x", "fr", "application/json"]);
  });
});

describe("a request to the registry", () => {
  test("goes out by its method, and no answer is an answer", async () => {
    const seen: string[] = [];
    const url = await serve(async (request, response) => {
      seen.push(`${request.method} ${request.url} ${await bodyOf(request)}`);
      response.writeHead(204).end();
    });
    const hub = hubAt(url, undefined, "en");
    assert.equal(await hub.send("PATCH", "/agents/a", { name: "b" }), undefined);
    assert.equal(await hub.send("DELETE", "/agents/b"), undefined);
    assert.deepEqual(seen, ['PATCH /agents/a {"name":"b"}', "DELETE /agents/b "]);
  });

  test("that is refused tells every field, and the code for whoever can help", async () => {
    const errors = [
      { field: "name", message: "must be short" },
      { field: "baseUrl", message: "must be a URL" },
    ];
    const problem = { status: 400, detail: "Invalid params: name must be short", code: "INVALID_PARAMS", errors };
    const asked = hubAt(await answering(400, JSON.stringify(problem)), undefined, "en").send("POST", "/agents", {});
    const message = "Invalid params: name must be short; baseUrl: must be a URL";
    await assert.rejects(asked, { name: "HubRefusal", code: "INVALID_PARAMS", message });
  });
});

describe("what goes wrong is said in one line", () => {
  const cases: readonly (readonly [string, number, string, RegExp])[] = [
    [
      "a JSON-RPC error",
      400,
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: x"}}',
      /^Unknown tool: x$/,
    ],
    ["a missing key", 401, '{"error":{"message":"no"}}', /requires a valid key.*ZAGUAN_KEY/],
    ["another program", 200, "<html>hello</html>", /is not a Zaguan hub/],
    ["a redirect, which is not followed", 302, "", /is not a Zaguan hub/],
    ["an HTTP failure without more", 500, "{}", /HTTP 500/],
  ];
  for (const [what, status, body, expected] of cases) {
    test(what, async () => {
      const url = await answering(status, body);
      await assert.rejects(hubAt(url, undefined, "en").rpc("tools/list", "{}"), failing(expected));
    });
  }

  test("nobody there", async () => {
    await assert.rejects(hubAt("http://127.0.0.1:1", undefined, "en").get("/x"), failing(/no hub is running/));
  });

  test("no answer in time", async () => {
    const url = await serve(() => {});
    const asked = hubAt(url, undefined, "en").get("/x", { timeoutMs: 100 });
    await assert.rejects(asked, failing(/did not answer within/));
  });

  test("half an answer in time", async () => {
    const url = await serve((_, response) => response.write('{"result"'));
    const asked = hubAt(url, undefined, "en").get("/x", { timeoutMs: 300 });
    await assert.rejects(asked, failing(/did not answer within/));
  });

  test("an answer that breaks off", async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-length": 100 }).write("{");
      setTimeout(() => response.destroy(), 50);
    });
    await assert.rejects(hubAt(url, undefined, "en").get("/x"), failing(/cannot be reached \(ECONNRESET\)/));
  });
});

describe("the list of tools", () => {
  test("is read to its last page", async () => {
    const url = await serve(async (request, response) => {
      const { params } = JSON.parse(await bodyOf(request)) as { params: { cursor?: string } };
      const page = params.cursor ? { tools: [{ name: "b" }] } : { tools: [{ name: "a" }], nextCursor: "b" };
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: page }));
    });
    const tools = await listTools(hubAt(url, undefined, "en"));
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["a", "b"],
    );
  });

  test("that has no tools in it is no list", async () => {
    const url = await answering(200, '{"jsonrpc":"2.0","id":1,"result":{}}');
    await assert.rejects(listTools(hubAt(url, undefined, "en")), failing(/is not a Zaguan hub/));
  });
});
