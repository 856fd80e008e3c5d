/** What is copied does what it says: the line for the shell is run by a shell, against a server that tells what it heard. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { readJson } from "../../kit/exact-json.ts";
import { type CallToCopy, clientConfigOf, curlOf, jsonRpcOf, oneServerConfigOf, shellQuoted } from "./copy-call.ts";

const run = promisify(execFile);
const CALL: CallToCopy = {
  base: "http://127.0.0.1:3003/",
  withKey: false,
  server: "house",
  tool: "lamp",
  args: { on: true },
};
const NO_CURL =
  spawnSync("curl", ["--version"]).status === 0 && process.platform !== "win32" ? false : "needs sh and curl";

const NASTY: Readonly<Record<string, unknown>> = {
  "single quotes": "it's 'quoted' ''",
  "double quotes and backslashes": 'a "b" \\ \\\\ \\n',
  "what a shell would run": "$(exit 3) `exit 4` ; exit 5 & | > <",
  variables: "$HOME $" + "{PATH} !! !$ ~ * ? [a-z]",
  "line breaks": "one\ntwo\r\nthree\ttab",
  "control characters": "\u0000\u0007\u001b[31m\u007f",
  "other scripts": "ñ 你好 😀 \u2028 \u202e",
  "half a character": "\ud800",
  "an at sign, as curl reads files": "@/etc/passwd",
  percent: "%s %d %27 %00",
  "names of members": { "it's": 1, $x: { __proto__: null, 'a"b': [] } },
  "large numbers": readJson("[12345678901234567890, 1e400, -0.5]"),
  "long text": "x'".repeat(20_000),
};

describe("the line for a shell", { skip: NO_CURL }, () => {
  let server: Server;
  let base = "";
  const heard: { url: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];

  before(async () => {
    server = createServer(async (request, response) => {
      let body = "";
      for await (const part of request.setEncoding("utf8")) body += part;
      heard.push({ url: request.url, headers: request.headers, body });
      response.end("heard");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(() => server.close());

  const paste = async (call: CallToCopy) => {
    const { stdout } = await run("sh", ["-c", `${curlOf(call)} --silent --noproxy '*'`]);
    assert.equal(stdout, "heard");
    return heard.at(-1) ?? assert.fail("nothing arrived");
  };

  for (const [what, value] of Object.entries(NASTY)) {
    it(`carries ${what} as they are`, async () => {
      const call = { ...CALL, base, args: { value } };
      const { url, headers, body } = await paste(call);
      assert.deepEqual([url, headers["content-type"]], ["/mcp", "application/json"]);
      const params = { name: "house__lamp", arguments: { value } };
      const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      assert.ok([JSON.stringify(request), JSON.stringify(request, null, 2)].includes(body), body.slice(0, 1_000));
    });
  }

  it("carries names of servers and tools that are no better", async () => {
    const { body } = await paste({ ...CALL, base, server: "it's", tool: "$(id)" });
    assert.equal((JSON.parse(body) as { params: { name: string } }).params.name, "it's__$(id)");
  });

  it("finds the hub behind a path, and says where the key belongs", async () => {
    const { url, headers } = await paste({ ...CALL, base: `${base}it's/here/`, withKey: true });
    assert.deepEqual([url, headers.authorization], ["/it's/here/mcp", "Bearer YOUR_KEY"]);
    assert.equal((await paste({ ...CALL, base })).headers.authorization, undefined);
  });
});

describe("a word for a shell", () => {
  it("is closed where it is open, and open where it is closed", () => {
    assert.equal(shellQuoted("it's"), `'it'\\''s'`);
    assert.equal(shellQuoted(""), "''");
  });
});

describe("the request", () => {
  it("is what is sent, to be read", () => {
    assert.deepEqual(JSON.parse(jsonRpcOf(CALL)), {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "house__lamp", arguments: { on: true } },
    });
    assert.match(jsonRpcOf({ ...CALL, args: { n: readJson("12345678901234567890") } }), /"n": 12345678901234567890/);
  });
});

describe("the configuration of a client", () => {
  it("names the hub", () => {
    assert.deepEqual(JSON.parse(clientConfigOf(CALL)), {
      mcpServers: { zaguan: { url: "http://127.0.0.1:3003/mcp" } },
    });
  });

  it("names one server at its own address, whatever it is called", () => {
    const config = JSON.parse(oneServerConfigOf({ ...CALL, withKey: true }, "ho use/ñ"));
    assert.deepEqual(config, {
      mcpServers: {
        "zaguan-ho use/ñ": {
          url: "http://127.0.0.1:3003/servers/ho%20use%2F%C3%B1/mcp",
          headers: { Authorization: "Bearer YOUR_KEY" },
        },
      },
    });
  });
});
