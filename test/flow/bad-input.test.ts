/** Wrong configuration and wrong surroundings: each is told in one clear line, and what runs goes on. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../support/processes.ts";
import { RpcOverHttp, serverShown } from "../support/rpc-over-http.ts";
import { runZaguan, type Said } from "../support/run-zaguan.ts";
import { spawnZaguan } from "../support/spawn-zaguan.ts";
import { ledgerIn, ledgerServer } from "../support/stub-servers.ts";

describe("wrong configuration", () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-bad-input-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const serve = (name: string, config: string, ...args: readonly string[]): Promise<Said> => {
    const home = join(folder, name);
    mkdirSync(home);
    writeFileSync(join(home, "zaguan.json"), config);
    return runZaguan(["serve", "--port", "0", "--data", "data", ...args], home);
  };

  const broken: readonly (readonly [string, string, RegExp])[] = [
    ["an unknown key", '{"mcpServer": {}}', /mcpServer/],
    ["an unknown key inside", '{"limits": {"bodyByte": 5}}', /limits.*bodyByte/],
    ["a wrong type", '{"limits": {"bodyBytes": "many"}}', /limits\.bodyBytes/],
    ["broken JSON", '{"mcpServers": ', /zaguan\.json/],
    ["a server without a command", '{"mcpServers": {"empty": {}}}', /empty/],
    ["a missing variable", `{"mcpServers": {"a": {"command": "\${NOT_SET_ANYWHERE}"}}}`, /NOT_SET_ANYWHERE/],
  ];
  for (const [what, config, named] of broken) {
    it(`refuses ${what} in one line that names it`, async () => {
      const said = await serve(what.replaceAll(" ", "-"), config);
      assertOneLine(said, named);
    });
  }

  it("refuses it while running too, says so once, and goes on as before", async () => {
    const ledger = ledgerIn(folder, "reload");
    const good = { mcpServers: { good: ledgerServer(ledger) } };
    const hub = await spawnZaguan({ config: good });
    const client = new RpcOverHttp(hub.url);
    try {
      assert.ok((await client.call("good__echo", { tag: "before" })).reply.result);
      hub.writeConfig({ ...good, mcpServerz: {} });
      await until("the log names the unknown key", () => hub.stderr().includes("mcpServerz"));
      await sleep(2_500);
      assert.equal(
        hub
          .stderr()
          .split("\n")
          .filter((line) => line.includes("mcpServerz")).length,
        1,
        hub.stderr(),
      );
      assert.doesNotMatch(hub.stderr(), /\n {4}at /);
      assert.ok((await client.call("good__echo", { tag: "after" })).reply.result);
      assert.equal((await serverShown(client, "good")).restarts, 0, "an unchanged server was restarted");
    } finally {
      await client.close();
      await hub.stop();
    }
  });

  it("says in one line that the port is in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const port = String((taken.address() as AddressInfo).port);
    try {
      assertOneLine(await serve("port", "{}", "--port", port), new RegExp(port));
    } finally {
      taken.close();
    }
  });

  it("keeps working when a server's command does not exist, and tells why that one is not there", async () => {
    const config = {
      mcpServers: {
        missing: { command: join(folder, "no-such-program"), zaguan: { readySeconds: 2 } },
        good: ledgerServer(ledgerIn(folder, "missing")),
      },
    };
    const hub = await spawnZaguan({ config });
    const client = new RpcOverHttp(hub.url);
    try {
      assert.ok((await client.call("good__echo", { tag: "t" })).reply.result);
      assert.ok((await client.call("list_lights_on")).reply.result);
      const lastError = async (): Promise<string> => String((await serverShown(client, "missing")).lastError);
      await until("it is told why", async () => /command not found: no-such-program$/.test(await lastError()));
      assert.notEqual((await serverShown(client, "missing")).state, "ready");
    } finally {
      await client.close();
      await hub.stop();
    }
  });
});

describe("listening beyond loopback", () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-beyond-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("is refused in one line as long as there is no key", async () => {
    const said = await runZaguan(["serve", "--host", "0.0.0.0", "--port", "0", "--data", "data"], folder);
    assertOneLine(said, /key create/);
  });

  it("asks for the key once there is one", async () => {
    const made = await runZaguan(["key", "create", "phone", "--data", "data"], folder);
    assert.equal(made.code, 0, made.stderr);
    const key = /\bzg[\w-]{20,}/.exec(made.stdout)?.[0] ?? made.stdout.trim();
    const hub = await spawnZaguan({ folder, args: ["--host", "0.0.0.0"] });
    const client = new RpcOverHttp(hub.url);
    const ping = { id: 1, method: "ping" };
    try {
      assert.equal((await client.rpc(ping)).status, 401);
      assert.equal((await client.rpc(ping, { authorization: `Bearer ${key}x` })).status, 401);
      assert.equal((await client.rpc(ping, { authorization: `Bearer ${key}` })).status, 200);
      assert.equal((await client.rpc(ping, { "x-api-key": key })).status, 200);
      assert.equal((await client.get("/mcp/servers")).status, 401, "the list of servers is for key holders");
      assert.equal((await client.get("/health")).status, 200, "health is for everybody");
    } finally {
      await client.close();
      await hub.stop();
    }
  });
});

function assertOneLine(said: Said, named: RegExp): void {
  const shown = JSON.stringify(said);
  assert.ok(said.code === 1 || said.code === 2, shown);
  assert.match(said.stderr, named, shown);
  const isLog = (line: string): boolean => line.startsWith('{"level"');
  assert.equal(
    said.stderr
      .trimEnd()
      .split("\n")
      .filter((line) => !isLog(line)).length,
    1,
    shown,
  );
  assert.equal(said.stdout, "", shown);
  assert.doesNotMatch(said.stderr, / at .*:\d+:\d+|node:internal/, shown);
}
