/** The commands as people use them: a real hub in one process, each command in another. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { runZaguan, type Said } from "../support/run-zaguan.ts";
import { cleanEnvironment, type SpawnedZaguan, spawnZaguan, zaguanCommand } from "../support/spawn-zaguan.ts";

/** Runs a command with lines on its stdin. */
function feed(words: readonly string[], cwd: string, lines: readonly object[]): Said {
  const { command, args } = zaguanCommand(...words);
  const input = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const options = { cwd, input, env: cleanEnvironment(), encoding: "utf8", timeout: 90_000 } as const;
  const { status, stdout, stderr } = spawnSync(command, args, options);
  return { code: status, stdout, stderr };
}

function linesOf(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + 90_000;
  while (!(await holds())) {
    assert.ok(performance.now() < limit, `in vain: ${what}`);
    await sleep(100);
  }
}

describe("commands beside a running hub", () => {
  let hub: SpawnedZaguan;
  const run = (...words: string[]): Promise<Said> => runZaguan(words, hub.folder);
  before(async () => {
    hub = await spawnZaguan();
  });
  after(() => hub.stop());

  test("serve prints lines to paste, on stdout, and the request in them switches on a lamp", async () => {
    assert.ok(hub.stdout().includes(`{"mcpServers":{"zaguan":{"url":"${hub.url}/mcp"}}}`));
    assert.ok(hub.stdout().includes(`claude mcp add --transport http zaguan ${hub.url}/mcp`));
    const [, url = "", body = ""] = /curl (\S+) -H .* -d '([^']+)'/.exec(hub.stdout()) ?? [];
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    assert.equal(response.status, 200);
    assert.match((await run("call", "list_lights_on")).stdout, /"salon"/);
  });

  test("servers shows the house, as a table and as JSON", async () => {
    const { code, stdout } = await run("servers");
    const heading = "NAME +ORIGIN +STATUS +TRANSPORT +STATE +TOOLS +RESTARTS +LAST ERROR";
    assert.match(stdout, new RegExp(`^${heading}\nhouse +built-in +active +house +ready +6 +0\n$`));
    assert.equal(code, 0);
    const [house] = JSON.parse((await run("servers", "--json")).stdout);
    assert.deepEqual([house.name, house.tools], ["house", 6]);
  });

  test("tools lists and searches, whatever the case and the accents", async () => {
    assert.equal((await run("tools")).stdout.split("\n").length, 8);
    const found = await run("tools", "ESPECIFICA", "luz", "--lang", "es");
    assert.match(found.stdout, /^HERRAMIENTA +DESCRIPCIÓN\nset_light_state +Enciende o apaga una luz específica\n$/);
    assert.deepEqual(await run("tools", "nonsense"), { code: 0, stdout: "", stderr: "No tool matches.\n" });
    assert.equal(JSON.parse((await run("tools", "--json")).stdout).length, 6);
  });

  test("call types its arguments by the tool's schema, or takes them as JSON", async () => {
    const typed = await run("call", "set_light_state", "--arg", "name=cocina", "--arg", "on=true");
    assert.deepEqual([typed.code, JSON.parse(typed.stdout)], [0, { ok: true }]);
    const json = await run("call", "set_light_state", "--json", '{"name":"garage","on":true}');
    assert.equal(json.code, 0);
    const both = await run("call", "house__set_light_state", "--json", '{"name":"x","on":true}', "--arg", "name=bano");
    assert.equal(both.code, 0);
    const { lights } = JSON.parse((await run("call", "get_all_states")).stdout);
    assert.deepEqual([lights.cocina, lights.garage, lights.bano, lights.dormitorio], [true, true, true, false]);
  });

  test("call says what failed on stderr, with exit code 1, or 2 if it was wrong usage", async () => {
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [["set_light_state", "--arg", "name=luna", "--arg", "on=true"], 1, /^Light 'luna' not found\n$/],
      [
        ["set_light_sate", "--arg", "name=luna"],
        1,
        /^zaguan: the hub has no tool.*did you mean 'set_light_state'\?\n$/,
      ],
      [["nonsense"], 1, /^zaguan: Unknown tool: nonsense\n$/],
      [["nonsense", "--lang", "fr"], 1, /^zaguan: Outil inconnu: nonsense\n$/],
      [["set_light_state"], 1, /^zaguan: Invalid params: missing required parameters name, on\n$/],
      [["set_light_state", "--arg", "on=maybe"], 2, /^zaguan call: --arg on: the tool expects boolean here\n$/],
    ];
    for (const [words, code, expected] of cases) {
      const said = await run("call", ...words);
      assert.match(said.stderr, expected);
      assert.deepEqual([said.code, said.stdout], [code, ""]);
    }
  });

  test("add is taken up by the hub, and so is remove", async () => {
    const { command, args } = zaguanCommand("simulate", "--mcp");
    const added = await run("add", "second", "--line", "--", command, ...args);
    const done = "Added second to zaguan.json. The running hub applies the change automatically.";
    assert.equal(added.stdout, `${done}\nsecond is ready. Tools: 6\n`);
    const tools = async (): Promise<string> => (await run("tools", "--json")).stdout;
    await eventually("the hub has the second house", async () => (await tools()).includes("second__get_presence"));
    const called = await run("call", "second__set_light_state", "--arg", "name=salon", "--arg", "on=true");
    assert.equal(called.code, 0, called.stderr);
    assert.equal((await run("add", "second", "https://example.org")).code, 1);
    assert.equal((await run("remove", "second")).code, 0);
    await eventually("the hub has lost it", async () => !(await tools()).includes("second__"));
    assert.ok((await tools()).includes("get_presence"));
  });

  test("add tells about private addresses and keeps headers", async () => {
    const words = ["add", "near", "http://127.0.0.1:9/mcp", "--header", "X-A: b: c", "--no-wait"];
    assert.match((await run(...words)).stderr, /^Note: 127\.0\.0\.1 is a private address.*--allow-private/);
    assert.equal((await run(...words, "--allow-private", "--replace")).stderr, "");
    const { near } = JSON.parse(readFileSync(hub.configFile, "utf8")).mcpServers;
    assert.deepEqual(near, {
      url: "http://127.0.0.1:9/mcp",
      headers: { "X-A": "b: c" },
      zaguan: { allowPrivate: true },
    });
    assert.equal((await run("remove", "near")).code, 0);
  });

  test("import takes over what it can and says what it cannot", async () => {
    const file = join(hub.folder, "mcp.json");
    const servers = { fine: { command: "true", disabled: true }, "not fine": { comand: "x" } };
    writeFileSync(file, JSON.stringify({ servers }));
    const { code, stdout, stderr } = await run("import", file, "--yes");
    assert.match(stdout, /^Servers imported into zaguan\.json: 1 \(fine\)\. The running hub/);
    assert.match(stderr, /^The hub would start [^\n]+\n {2}fine: true\nSkipped not fine: [^\n]+\n$/);
    assert.equal(code, 0);
    assert.equal((await run("import", file)).code, 1);
    assert.equal((await run("remove", "fine")).code, 0);
  });

  test("simulate acts on the very house that the hub has", async () => {
    assert.equal((await run("simulate", "lights", "on", "dormitorio")).stdout, "Luz 'dormitorio' encendida\n");
    assert.match((await run("call", "list_lights_on")).stdout, /"dormitorio"/);
    assert.equal((await run("simulate", "presence", "set", "Carlos", "Ana")).stdout, "Presencia: Carlos, Ana\n");
    assert.deepEqual(JSON.parse((await run("call", "get_presence")).stdout), {
      present: true,
      known_people: ["Carlos", "Ana"],
    });
    assert.equal((await run("simulate", "presence", "clear", "--lang", "en")).stdout, "Presence: nobody\n");
    assert.match((await run("simulate", "status")).stdout, /dormitorio {2}encendida\n[\s\S]*Alarma: desarmada\n/);
  });

  test("keys are made, shown once, listed and revoked while the hub runs", async () => {
    const { stdout: key, stderr } = await run("key", "create", "phone", "--tools", "get_*");
    assert.match(key, /^zgn_[\w-]{43}\n$/);
    assert.match(stderr, /shown only now/);
    const withKey = (...words: string[]): Promise<Said> => run(...words, "--key", key.trim());
    assert.match((await withKey("tools", "--json")).stdout, /get_presence/);
    assert.doesNotMatch((await withKey("tools", "--json")).stdout, /set_light_state/);
    assert.equal((await run("key", "create", "phone")).code, 1);
    assert.match((await run("key", "list")).stdout, /phone +zgn_[\w-]{4}… .* active +get_\*\n/);
    assert.doesNotMatch((await run("key", "list", "--json")).stdout, /hash/);
    assert.equal((await run("key", "revoke", "phone")).code, 0);
    await eventually("the hub refuses the key", async () => (await withKey("tools")).code === 1);
    assert.match((await withKey("tools")).stderr, /requires a valid key/);
  });

  test("doctor finds everything well", async () => {
    const { code, stdout } = await run("doctor");
    assert.match(stdout, new RegExp(`✓ The hub answers at ${hub.url} in \\d+ ms\n`));
    assert.doesNotMatch(stdout, /✗/);
    assert.equal(code, 0);
  });

  test("a second hub on the same port is refused in one line", async () => {
    const port = new URL(hub.url).port;
    const { code, stdout, stderr } = await run("serve", "--port", port, "--data", "other");
    assert.match(stderr, /^zaguan: Port \d+ on 127\.0\.0\.1 is in use[^\n]+--port\n$/m);
    assert.deepEqual([code, stdout], [1, ""]);
  });

  test("a reader that leaves early is no failure", async () => {
    const { command, args } = zaguanCommand("tools", "--json");
    const child = spawn(command, args, { cwd: hub.folder, env: cleanEnvironment(), stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [code] = await once(child, "close");
    assert.deepEqual([code, stderr], [0, ""]);
  });
});

describe("commands without a hub", () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-cli-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("simulate --mcp speaks the line protocol and nothing else, in Spanish", () => {
    const call = { type: "call", id: 1, tool: "set_light_state", args: { name: "inexistente", on: true } };
    const { code, stdout, stderr } = feed(["simulate", "--mcp=stdio", "--config", "casa.yaml"], folder, [
      call,
      { type: "quit" },
    ]);
    const [ready, answer, ...more] = linesOf(stdout);
    assert.equal(ready?.["type"], "ready");
    assert.deepEqual(answer, { type: "error", id: 1, ok: false, error: "Luz 'inexistente' no encontrada" });
    assert.deepEqual(more, []);
    assert.equal(stderr, "⚠️  Archivo de configuración no encontrado. Creando casa.yaml...\n");
    assert.equal(code, 0);
    assert.ok(existsSync(join(folder, "casa.yaml")));
  });

  test("simulate --mcp forgets its state, unless a data folder is named", () => {
    const on = { type: "call", id: 1, tool: "set_light_state", args: { name: "salon", on: true } };
    const which = { type: "call", id: 2, tool: "list_lights_on", args: {} };
    const lamps = (...words: string[]): unknown => {
      feed(["simulate", "--mcp", ...words], folder, [on]);
      return linesOf(feed(["simulate", "--mcp", ...words], folder, [which]).stdout)[1]?.["result"];
    };
    assert.deepEqual(lamps(), { on: [] });
    assert.deepEqual(lamps("--data", "kept"), { on: ["salon"] });
  });

  test("stdio speaks MCP and nothing else", () => {
    const { code, stdout } = feed(["stdio"], folder, [{ jsonrpc: "2.0", id: 7, method: "ping" }]);
    assert.deepEqual(linesOf(stdout), [{ jsonrpc: "2.0", id: 7, result: {} }]);
    assert.equal(code, 0);
  });

  test("stdio --line speaks the line protocol for one server, in Spanish or as asked", () => {
    const call = { type: "call", id: "a", tool: "no", args: {} };
    const errors = (...words: string[]): unknown =>
      linesOf(feed(["stdio", "--line", "--server", "house", ...words], folder, [call]).stdout)[1]?.["error"];
    assert.equal(errors(), "Tool 'no' no encontrada");
    assert.equal(errors("--lang", "en"), "Unknown tool: no");
  });

  test("stdio with an unknown server is one line", () => {
    const { code, stdout, stderr } = feed(["stdio", "--server", "nobody"], folder, []);
    assert.match(stderr, /^zaguan: There is no server named 'nobody'; known: house$/m);
    assert.deepEqual([code, stdout], [1, ""]);
  });

  test("stdio ends when it is told to, with its input still open", async () => {
    const { command, args } = zaguanCommand("stdio");
    const child = spawn(command, args, { cwd: folder, env: cleanEnvironment(), stdio: ["pipe", "pipe", "ignore"] });
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [0, null]);
  });

  test("serve told twice to stop does so at once, whoever is still being served", async () => {
    const { command, args } = zaguanCommand("serve", "--port", "0");
    const child = spawn(command, args, { cwd: folder, env: cleanEnvironment(), stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.setEncoding("utf8");
    const [greeting] = await once(child.stdout, "data");
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(greeting)?.[1]);
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    const head = [
      "POST /mcp HTTP/1.1",
      `Host: 127.0.0.1:${port}`,
      "Content-Type: application/json",
      "Content-Length: 9",
    ];
    socket.write(`${head.join("\r\n")}\r\nExpect: 100-continue\r\n\r\n`);
    await once(socket, "data");
    child.kill("SIGINT");
    for await (const text of child.stderr.setEncoding("utf8")) if (text.includes("Stopping")) break;
    child.kill("SIGINT");
    assert.deepEqual(await once(child, "exit"), [130, null]);
  });

  test("doctor says what is wrong and what to do", async () => {
    writeFileSync(join(folder, "zaguan.json"), '{"mcpServers":{"gone":{"command":"no-such-program"}}}');
    const { code, stdout } = await runZaguan(["doctor", "--port", "0"], folder);
    assert.match(stdout, /✗ gone: the command no-such-program is not found\n {2}→ .*zaguan remove gone/);
    assert.match(stdout, /Problems found: 1\n$/);
    assert.equal(code, 1);
  });
});
