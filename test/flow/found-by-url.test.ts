/** MCP servers by URL that answer the first question badly, or from another path: they are found all the same. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { answer2025 } from "../support/stub-2025.ts";
import type { StubMessage } from "../support/stub-2026.ts";

type Answer = (response: ServerResponse, path: string) => unknown;

/** What each path says to `server/discover`; everything else it answers well. */
const TROUBLES: Readonly<Record<string, Answer>> = {
  fails: (response) => response.writeHead(500).end("oops"),
  gateway: (response) => response.writeHead(502, { "content-type": "text/html" }).end("<p>"),
  busy: (response) => response.writeHead(503).end(),
  drops: (response) => response.destroy(),
  hangs: () => {},
};
/** What these say to everything. */
const NEVER: Readonly<Record<string, Answer>> = {
  moved: (response, path) => response.writeHead(307, { location: `${path}/` }).end(),
  kept: (response, path) => response.writeHead(308, { location: `${path}/` }).end(),
  away: (response) => response.writeHead(307, { location: "https://elsewhere.example/mcp?key=secret" }).end(),
  locked: (response) => response.writeHead(401).end(),
  nothing: (response) => response.writeHead(404).end(),
};

describe("a server by URL", () => {
  const asked: string[] = [];
  const site: Server = createServer((request, response) => void take(request, response));
  let hub: SpawnedZaguan;
  let client: RpcOverHttp;

  before(async () => {
    site.listen(0, "127.0.0.1");
    await once(site, "listening");
    const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const names = [...Object.keys(TROUBLES), ...Object.keys(NEVER)];
    const entry = (name: string, more: object = {}): object => {
      return { url: `${url}/${name}`, ...more, zaguan: { allowPrivate: true } };
    };
    const mcpServers = {
      ...Object.fromEntries(names.map((name) => [name, entry(name)])),
      pinned: entry("pinned", { protocol: "2025-06-18" }),
    };
    hub = await spawnZaguan({ config: { mcpServers, limits: { listWaitSeconds: 1 } } });
    client = new RpcOverHttp(hub.url);
  });

  after(async () => {
    await client?.close();
    await hub?.stop();
    site.closeAllConnections();
    site.close();
  });

  for (const name of [...Object.keys(TROUBLES), "moved", "kept"]) {
    it(`that ${name} is found and called`, async () => {
      assert.match(await answerOf(name), /"result":/);
    });
  }

  it("that redirects is asked at its new path from then on", () => {
    // Each connection finds the new path with its first request.
    const there = asked.filter((what) => what.startsWith("/moved "));
    assert.ok(there.length > 0);
    for (const what of there) assert.match(what, /server\/discover|initialize/);
  });

  it("whose revision is configured is not asked for it", async () => {
    assert.match(await answerOf("pinned"), /"result":/);
    assert.deepEqual(asked.filter((what) => what.startsWith("/pinned ")).slice(0, 1), ["/pinned initialize"]);
  });

  it("that redirects to another origin is refused, with its target and without its secret", async () => {
    const error = await answerOf("away");
    assert.match(error, /it redirects to https:\/\/elsewhere\.example\/mcp \(HTTP 307\), which is not followed/);
    assert.doesNotMatch(error, /secret/);
  });

  it("that wants other credentials is asked once, and says what to look at", async () => {
    assert.match(await answerOf("locked"), /refused our credentials \(HTTP 401\): check the key or the headers/);
    assert.deepEqual(
      new Set(asked.filter((what) => what.startsWith("/locked "))),
      new Set(["/locked server/discover"]),
    );
  });

  it("that no way leads to says in sentences what was tried, in the reader's language", async () => {
    const english = await answerOf("nothing");
    assert.match(
      english,
      /no way led to it\. Streamable HTTP 2026-07-28: it answered with HTTP 404; .*WebSocket at \/ws: /,
    );
    assert.match(await answerOf("nothing", "es"), /ninguna forma de conexión funcionó\. .*: respondió con HTTP 404; /);
  });

  async function answerOf(name: string, language = "en"): Promise<string> {
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo" } });
    return (await client.send("POST", `/servers/${name}/mcp`, call, { "accept-language": language })).text;
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const name = path.split("/")[1] ?? "";
    const message = JSON.parse((await text(request)) || "{}") as StubMessage;
    asked.push(`${path} ${message.method ?? request.method}`);
    const isElsewhere = path.endsWith("/") && (name === "moved" || name === "kept");
    const trouble = isElsewhere ? undefined : NEVER[name];
    if (trouble) trouble(response, path);
    else if (request.method !== "POST") response.writeHead(405).end();
    else if (message.method === "server/discover" && TROUBLES[name]) TROUBLES[name](response, path);
    else if (message.id === undefined) response.writeHead(202).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer2025(message)));
  }
});
