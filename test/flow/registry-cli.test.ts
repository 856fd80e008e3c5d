/**
 * The commands for servers, agents and other clients' files, as people use them, against a real hub in a process of its
 * own. A command runs in a process of its own where it reads stdin, else in ours: seventy starts would take their time.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are what people write in the file
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { main } from "../../src/cli/main.ts";
import { parseConfig } from "../../src/config/load.ts";
import { LineRpc } from "../support/line-rpc.ts";
import { runZaguan, type Said } from "../support/run-zaguan.ts";
import { cleanEnvironment, type SpawnedZaguan, spawnZaguan, zaguanCommand } from "../support/spawn-zaguan.ts";
import { stateless } from "../support/stateless-message.ts";

const SECRET = "hunter2-hunter2";
const ITEM = { type: "object", properties: { item: { type: "string" }, count: { type: "integer" } } };

/** A shop that speaks bare JSON-RPC, wants a key, and says what it was given. */
class Shop {
  tools: readonly string[] = ["buy", "sell"];
  readonly seen: IncomingHttpHeaders[] = [];
  url = "";
  readonly #server = createServer(async (request, response) => {
    this.seen.push(request.headers);
    let body = "";
    for await (const chunk of request) body += chunk;
    const isKnown = request.headers["x-api-key"] === SECRET;
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
    response.end(isKnown ? JSON.stringify(this.#answer(JSON.parse(body || "{}"))) : "{}");
  });

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer({ id = null, method, params }: { id?: unknown; method?: string; params?: object }): object {
    const tools = this.tools.map((name) => ({ name, description: `To ${name} things`, inputSchema: ITEM }));
    const results: Readonly<Record<string, object>> = {
      "tools/list": { tools },
      "tools/call": { content: [{ type: "text", text: JSON.stringify(params) }] },
    };
    const result = results[method ?? ""];
    return { jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32601, message: "no such method" } }) };
  }
}

const shop = new Shop();
let hub: SpawnedZaguan;

async function run(...words: string[]): Promise<Said> {
  let [stdout, stderr] = ["", ""];
  const code = await main(words, {
    env: cleanEnvironment({ ZAGUAN_DATA: join(hub.folder, "data"), ZAGUAN_CONFIG: hub.configFile }),
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  return { code, stdout, stderr };
}

/** Fails with what the command said, unless it went well. */
async function did(...words: string[]): Promise<Said> {
  const said = await run(...words);
  assert.equal(said.code, 0, `zaguan ${words.join(" ")}: ${said.stderr}`);
  return said;
}

async function json(...words: string[]) {
  return JSON.parse((await did(...words, "--json")).stdout);
}

/** Runs a command with a text on its stdin. */
async function fed(text: string, ...words: string[]): Promise<Said> {
  const { command, args } = zaguanCommand(...words);
  const child = spawn(command, args, { cwd: hub.folder, env: cleanEnvironment(), stdio: "pipe" });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (part: string) => (stdout += part));
  child.stderr.setEncoding("utf8").on("data", (part: string) => (stderr += part));
  child.stdin.end(text);
  const [code] = await once(child, "close");
  return { code, stdout, stderr };
}

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + 90_000;
  while (!(await holds())) {
    assert.ok(performance.now() < limit, `in vain: ${what}`);
    await sleep(100);
  }
}

before(async () => {
  await shop.open();
  hub = await spawnZaguan();
});
after(async () => {
  await hub.stop();
  shop.close();
});

describe("servers", () => {
  test("are registered with a secret from stdin, which nobody sees again", async () => {
    const words = ["server", "register", "shop", shop.url, "--auth", "apikey", "--credentials-file", "-"];
    const said = await fed(`${SECRET}\n`, ...words, "--header", "X-Till: 7");
    assert.equal(said.stdout, "Registered shop. 'zaguan server discover shop' finds its tools now.\n");
    assert.deepEqual([said.code, said.stderr], [0, ""]);
    assert.doesNotMatch((await did("server", "show", "shop", "--json")).stdout, /hunter2/);
  });

  test("are asked for their tools, with what they want to see", async () => {
    const { stdout, stderr } = await did("server", "discover", "shop");
    assert.match(stdout, /^TOOL +DESCRIPTION\nbuy +To buy things\nsell +To sell things\n$/);
    assert.equal(stderr, "Tools found on shop: 2\n");
    assert.deepEqual([shop.seen.at(-1)?.["x-api-key"], shop.seen.at(-1)?.["x-till"]], [SECRET, "7"]);
    const called = await did("call", "buy", "--arg", "item=tea", "--arg", "count=2");
    assert.match(called.stdout, /\{"item":"tea","count":2\}/);
  });

  test("are shown one by one, in the list, and by a search", async () => {
    const [shown, listed, found] = await Promise.all([
      did("server", "show", "shop"),
      did("servers"),
      did("servers", "sho"),
    ]);
    assert.match(shown.stdout, /^NAME +shop\nID +[0-9a-f-]{36}\nORIGIN +registered\nSTATUS +active\nADDRESS +http:/);
    assert.match(listed.stdout, /house +built-in +active +house +ready +6 +0\nshop +registered +active +\S.* 2 +0\n$/);
    assert.match(found.stdout, /^NAME[^\n]+\nshop [^\n]+\n$/);
    assert.deepEqual(await run("servers", "zzz"), { code: 0, stdout: "", stderr: "No server matches.\n" });
  });

  test("are refreshed: what vanished is missing, and comes back with its id", async () => {
    const idOfSell = async (): Promise<string> => {
      const tools = await json("tools", "sell", "--server", "shop", "--all");
      return tools[0].id;
    };
    const id = await idOfSell();
    shop.tools = ["buy", "lend"];
    assert.match((await did("server", "refresh", "shop")).stdout, /^TOOL[^\n]+\nbuy [^\n]+\nlend [^\n]+\n$/);
    assert.match((await did("tools", "--all")).stdout, /shop +sell +missing +To sell things\n/);
    assert.doesNotMatch((await did("tools", "--server", "shop")).stdout, /sell/);
    shop.tools = ["buy", "sell"];
    assert.match((await did("server", "refresh", "shop", "--lang", "es")).stderr, /^[^\n]+\n$/);
    assert.equal(await idOfSell(), id);
  });

  test("keep a log of what was tried", async () => {
    await did("server", "register", "nobody", "http://127.0.0.1:1/mcp");
    const failed = await run("server", "discover", "nobody");
    assert.match(failed.stderr, /^zaguan: No tools could be [^\n]+; 'zaguan server log nobody' shows [^\n]+\n$/);
    assert.deepEqual([failed.code, failed.stdout], [1, ""]);
    const log = (await did("server", "log", "nobody")).stdout;
    assert.match(log, /^TIME +ATTEMPT +TRANSPORT +OUTCOME\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z +1 +Streamable HTTP/);
    assert.match(log, /Z +3 +Streamable HTTP [^\n]+refused\n[^\n]+→ failed after \d+ ms: [^\n]+\n$/);
    assert.equal((await json("server", "log", "nobody")).length, 1);
    assert.match((await did("server", "log", "shop")).stdout, /→ tools: 2, after \d+ ms\n/);
    assert.match((await did("server", "log", "house")).stderr, /^No discovery of house yet/);
  });

  test("are changed and removed", async () => {
    const changed = await did("server", "change", "nobody", "--name", "somebody", "--url", "http://127.0.0.1:2/mcp");
    assert.equal(changed.stdout, "Changed somebody.\n");
    const server = await json("server", "show", "somebody");
    assert.equal(server.baseUrl, "http://127.0.0.1:2/mcp");
    assert.equal((await did("server", "remove", "somebody")).stdout, "Removed somebody.\n");
    const gone = await run("server", "show", "somebody");
    assert.deepEqual([gone.code, gone.stderr], [1, "zaguan: There is no such server: 'somebody'\n"]);
  });

  test("that are refused say why in one line", async () => {
    const taken = await run("server", "register", "shop", shop.url);
    assert.deepEqual([taken.code, taken.stderr], [1, "zaguan: Taken already: server 'shop'\n"]);
    const foreign = await run("server", "remove", "house", "--lang", "fr");
    assert.match(foreign.stderr, /^zaguan: 'house' n'est pas enregistré [^\n]+\n$/);
    const far = await run("server", "register", "near", "http://192.168.1.1/mcp");
    assert.match(far.stderr, /^zaguan: [^\n]*192\.168\.1\.1[^\n]*\n$/);
  });

  test("whose secret stands on the command line are taken, with a warning", async () => {
    const words = ["server", "register", "open", shop.url, "--auth", "apikey", "--credentials", SECRET];
    const { stderr } = await did(...words, "--header", "Cookie: x");
    assert.match(stderr, /^Note: [^\n]+--credentials-file[^\n]+\nNote: [^\n]+Cookie[^\n]+--header @FILE[^\n]+\n$/);
    const headers = join(hub.folder, "headers.txt");
    writeFileSync(headers, `X-API-Key: ${SECRET}\n\nX-Till: 9\n`, { mode: 0o600 });
    const changed = await did("server", "change", "open", "--auth", "none", "--header", `@${headers}`);
    assert.equal(changed.stderr, "");
    await did("server", "discover", "open");
    assert.equal(shop.seen.at(-1)?.["x-till"], "9");
    await did("server", "remove", "open");
  });
});

describe("agents", () => {
  test("are made, described, listed and changed", async () => {
    const made = await fed("Be kind.\nBe brief.\n", "agent", "create", "butler", "--prompt-file", "-");
    assert.equal(made.stdout, "Created the agent butler. 'zaguan agent link butler TOOL' gives it tools.\n");
    const words = ["--description", "Serves tea", "--autonomy", "auto"];
    assert.equal((await did("agent", "change", "butler", ...words)).stdout, "Changed butler.\n");
    assert.match(
      (await did("agent", "show", "butler")).stdout,
      /^NAME +butler\n.*\nAUTONOMY +Auto\nPROMPT +Be kind\./s,
    );
    const [agent] = await json("agents", "tea");
    assert.deepEqual([agent.systemPrompt, agent.description], ["Be kind.\nBe brief.", "Serves tea"]);
    assert.match((await did("agents")).stdout, /^NAME +AUTONOMY +DESCRIPTION\nbutler +Auto +Serves tea\n$/);
    assert.match((await run("agent", "create", "butler")).stderr, /^zaguan: Taken already: agent 'butler'\n$/);
  });

  test("are linked to tools by any of their names", async () => {
    const fixed = ["--fixed", "item=tea", "--allow-args", "count"];
    assert.equal((await did("agent", "link", "butler", "buy", ...fixed)).stdout, "butler may use shop__buy now.\n");
    const { id } = (await json("tools", "--server", "shop", "sell"))[0];
    await did("agent", "link", "butler", id, "--disabled");
    await did("agent", "link", "butler", "house__get_presence");
    const table = (await did("agent", "links", "butler")).stdout;
    assert.match(table, /shop +buy +enabled +\{"item":"tea"\} +count\nshop +sell +disabled +– +\*\n/);
    const unknown = await run("agent", "link", "butler", "bui");
    assert.match(unknown.stderr, /^zaguan: the hub has no tool 'bui'; did you mean 'buy'\?\n$/);
    const wrong = await run("agent", "link", "butler", "buy", "--fixed", "count=many");
    assert.deepEqual([wrong.code, wrong.stderr], [2, "zaguan agent: --fixed count: the tool expects integer here\n"]);
  });

  test("keep what limits a link when it is made again", async () => {
    assert.match((await did("agent", "link", "butler", "shop__buy")).stdout, /^Changed the link of butler/);
    const [buy] = await json("agent", "links", "butler");
    assert.deepEqual(buy.config, { fixedArguments: { item: "tea" }, allowedArguments: ["count"] });
  });

  test("have a key of their own that opens their tools alone, until it is revoked", async () => {
    const { stdout, stderr } = await did("agent", "key", "butler");
    assert.match(stdout, /^zgn_[\w-]{43}\n$/);
    assert.match(stderr, /shown only now/);
    const withKey = (...words: string[]): Promise<Said> => run(...words, "--key", stdout.trim());
    assert.match((await withKey("tools")).stdout, /^TOOL[^\n]+\nget_presence [^\n]+\nbuy [^\n]+\n$/);
    assert.match((await withKey("call", "buy", "--arg", "count=3")).stdout, /"item":"tea"/);
    assert.match((await withKey("call", "set_light_state")).stderr, /Unknown tool/);
    assert.match((await withKey("server", "remove", "shop")).stderr, /^zaguan: You may not do that[^\n]+\n$/);
    await did("agent", "revoke", "butler");
    await eventually("the key is refused", async () => (await withKey("tools")).code === 1);
  });

  for (const era of ["2025", "2026"] as const) {
    test(`are served on stdio with their own tools, to clients of ${era}`, async () => {
      const client = new LineRpc(zaguanCommand("stdio", "--agent", "butler"), hub.folder);
      const ask = async (id: number, method: string, params: object = {}): Promise<{ result: object }> => {
        client.send(era === "2026" ? stateless(id, method, { ...params }) : { jsonrpc: "2.0", id, method, params });
        return client.first(`the answer to ${method}`, (message) => message.id === id);
      };
      try {
        if (era === "2025") await ask(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {} });
        const { tools } = (await ask(2, "tools/list")).result as { tools: { name: string; inputSchema: object }[] };
        const names = tools.map(({ name }) => name).sort();
        assert.deepEqual(names, ["buy", "get_presence"]);
        const call = { name: "buy", arguments: { count: 1 } };
        assert.match(JSON.stringify((await ask(3, "tools/call", call)).result), /tea/);
        const other = JSON.stringify(await ask(4, "tools/call", { name: "get_all_states", arguments: {} }));
        assert.match(other, /[Uu]nknown tool/);
        assert.equal(await client.end(), 0);
      } finally {
        client.kill();
      }
    });
  }

  test("lose on stdio what a hub takes from them meanwhile", async () => {
    const client = new LineRpc(zaguanCommand("stdio", "--agent", "butler"), hub.folder);
    const names = async (id: number): Promise<string> =>
      JSON.stringify((await client.ask(stateless(id, "tools/list"))).result.tools);
    try {
      assert.match(await names(1), /get_presence/);
      assert.equal(
        (await did("agent", "unlink", "butler", "get_presence")).stdout.includes("house__get_presence"),
        true,
      );
      let id = 1;
      await eventually("the link is gone", async () => !(await names(++id)).includes("get_presence"));
      assert.equal(await client.end(), 0);
    } finally {
      client.kill();
    }
  });

  test("that do not exist, and links that do not, are told in one line", async () => {
    const stdio = await runZaguan(["stdio", "--agent", "nobody"], hub.folder);
    assert.deepEqual([stdio.code, stdio.stdout], [1, ""]);
    assert.match(stdio.stderr, /^zaguan: There is no such agent: 'nobody'$/m);
    assert.match((await run("agent", "unlink", "butler", "get_presence")).stderr, /^zaguan: butler is not linked to/);
    assert.match((await run("agent", "links", "nobody")).stderr, /^zaguan: There is no such agent: 'nobody'\n$/);
    await did("agent", "remove", "butler");
    assert.deepEqual(await run("agents"), {
      code: 0,
      stdout: "",
      stderr: "There are no agents; 'zaguan agent create NAME' creates one.\n",
    });
  });
});

test("a tool that two servers have must be named with its server", async () => {
  await did("server", "register", "twin", shop.url, "--header", `X-API-Key: ${SECRET}`);
  await did("server", "discover", "twin");
  await did("agent", "create", "maid");
  const several = await run("agent", "link", "maid", "buy");
  assert.match(several.stderr, /several servers have a tool 'buy'; choose one of: shop__buy, twin__buy\n$/);
  await did("agent", "link", "maid", "twin__buy");
  await did("server", "remove", "twin");
  assert.deepEqual(await json("agent", "links", "maid"), []);
});

test("the key of an administrator may make keys for agents, and an ordinary one may not", async () => {
  const [admin, plain] = [await did("key", "create", "boss", "--admin"), await did("key", "create", "guest")];
  assert.match((await did("key", "list")).stdout, /boss .* active +\* \(administrator\)\nguest .* active +\*\n/);
  const asked = (key: string): Promise<Said> => run("agent", "key", "maid", "--key", key.trim());
  assert.match((await asked(plain.stdout)).stderr, /^zaguan: You may not do that/);
  assert.match((await asked(admin.stdout)).stdout, /^zgn_/);
});

describe("other clients", () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "zaguan-export-"));
  const mcpServers = {
    far: {
      url: "https://example.org/mcp?api_key=q1w2",
      headers: { Authorization: "Bearer s3cr3t", Accept: "text/html", "X-Ref": "${REF:-none}" },
      disabled: true,
    },
    tool: {
      command: "docker",
      args: ["run", "-e", "API_KEY=s3cr3t", "--token", "t0ps3cr3t", "image"],
      env: { GITHUB_TOKEN: "ghp_s3cr3t", MODE: "fast" },
      disabled: true,
    },
  };
  before(async () => {
    hub.writeConfig({ mcpServers });
    // Disabled ones are in no list: the hub has read the file when it says nothing against it.
    await did("servers");
  });
  after(() => rmSync(elsewhere, { recursive: true }));

  for (const form of ["mcpServers", "vscode"]) {
    test(`get all servers in the form ${form}, without secrets, and what they get can be imported again`, async () => {
      const file = join(elsewhere, `${form}.json`);
      const { stdout, stderr } = await did("export", "--form", form, "--output", file);
      const text = readFileSync(file, "utf8");
      assert.match(stdout, /^Wrote 3 to /);
      assert.match(
        stderr,
        /^Other headers [^\n]+: shop\nSet these variables [^\n]+FAR_AUTHORIZATION[^\n]+SHOP_X_API_KEY[^\n]*\n$/,
      );
      assert.doesNotMatch(text, /s3cr3t|q1w2|hunter2/);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      const own = join(elsewhere, `${form}-zaguan.json`);
      await did("import", file, "--yes", "--config", own);
      const env = {
        FAR_API_KEY: "q1w2",
        FAR_AUTHORIZATION: "s3cr3t",
        REF: "none",
        SHOP_X_API_KEY: SECRET,
        TOOL_API_KEY: "s3cr3t",
        TOOL_TOKEN: "t0ps3cr3t",
        TOOL_GITHUB_TOKEN: "ghp_s3cr3t",
        TOOL_MODE: "fast",
      };
      const read = parseConfig(readFileSync(own, "utf8"), own, env).mcpServers;
      const meant = parseConfig(JSON.stringify({ mcpServers }), "", {}).mcpServers;
      assert.deepEqual([read["far"], read["tool"]], [meant["far"], meant["tool"]]);
      assert.deepEqual([read["shop"]?.url, read["shop"]?.headers], [shop.url, { "X-API-Key": SECRET }]);
      assert.equal((await run("export", "--output", file)).code, 1);
      await did("export", "--output", file, "--replace");
    });
  }

  test("get what connects them to this hub", async () => {
    const url = `${hub.url}/mcp`;
    const clients = ["claude-desktop", "claude-code", "cursor", "vscode", "lm-studio"];
    const said = await Promise.all(clients.map((client) => did("export", "--client", client)));
    assert.deepEqual(
      said.map(({ stdout }) => JSON.parse(stdout)),
      [
        { mcpServers: { zaguan: { command: "npx", args: ["-y", "mcp-remote", url, "--allow-http"] } } },
        { mcpServers: { zaguan: { type: "http", url } } },
        { mcpServers: { zaguan: { url } } },
        { servers: { zaguan: { type: "http", url } } },
        { mcpServers: { zaguan: { url } } },
      ],
    );
    assert.match(said[1]?.stderr ?? "", new RegExp(`claude mcp add --transport http zaguan ${url}\n`));
  });

  test("that need a key are told how to give it, and never the key itself", async () => {
    const key = (await did("key", "create", "client")).stdout.trim();
    const said = await Promise.all(
      ["claude-desktop", "cursor", "vscode"].map((client) => did("export", "--client", client, "--key", key)),
    );
    const [desktop, cursor, code] = said.map(({ stdout }) => JSON.parse(stdout));
    assert.deepEqual(desktop.mcpServers.zaguan.env, { AUTHORIZATION: "Bearer YOUR_KEY" });
    assert.deepEqual(cursor.mcpServers.zaguan.headers, { Authorization: "Bearer ${env:ZAGUAN_KEY}" });
    assert.equal(code.servers.zaguan.headers.Authorization, "Bearer ${input:zaguan-key}");
    assert.equal(code.inputs[0].password, true);
    assert.ok(said.every(({ stdout, stderr }) => !`${stdout}${stderr}`.includes(key)));
  });
});
