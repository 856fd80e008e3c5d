/**
 * Who is the local user: whoever comes from this machine, as long as nobody else comes from there; and whoever can read the
 * data folder, as the commands can. Behind a proxy and beyond loopback, coming from this machine says nothing.
 */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { closing, opened } from "../support/closing.ts";
import { until } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import { askUntil, makeKey } from "../support/seed-003.ts";
import { refusal } from "../support/socket-client.ts";
import type { SpawnedZaguan } from "../support/spawn-zaguan.ts";

/** The status of a request from this machine without a key. */
async function keyless(hub: SpawnedZaguan, headers: Record<string, string> = {}): Promise<number> {
  return (await new RegistryClient(hub.url).get("/keys", headers)).status;
}

function hubFile(hub: SpawnedZaguan): string {
  return join(hub.folder, "data", "hub.json");
}

function tokenOf(hub: SpawnedZaguan): string {
  return JSON.parse(readFileSync(hubFile(hub), "utf8")).token;
}

function zaguan(hub: SpawnedZaguan, ...words: readonly string[]) {
  return runZaguan([...words, "--data", "data"], hub.folder);
}

describe("coming from loopback", () => {
  it("is enough until a forwarding header was seen, and never again", async () => {
    for (const [name, value] of [
      ["x-forwarded-for", "8.8.8.8"],
      ["forwarded", "for=8.8.8.8"],
      ["via", "1.1 proxy"],
    ] as const) {
      const hub = await opened();
      assert.equal(await keyless(hub), 200);
      assert.equal(await keyless(hub, { [name]: value }), 401, name);
      assert.equal(await keyless(hub), 401, `after ${name}`);
      assert.equal((await refusal(`${hub.url}/ws`)).status, 401);
      assert.equal((await refusal(`${hub.url}/xiaozhi/v1/`)).status, 401);
      const line = /a proxy passes requests on to this hub/;
      await until("the log warns", () => line.test(hub.stderr() + hub.stdout()));
      await hub.stop();
    }
  });

  it("is not enough for the addresses of a proxy, which need not say that it is one", async () => {
    for (const trustedProxies of [["127.0.0.1"], ["127.0.0.0/8"], ["::ffff:127.0.0.1"]]) {
      const hub = await opened({ config: { auth: { trustedProxies } } });
      assert.equal(await keyless(hub), 401, trustedProxies.join());
      await hub.stop();
    }
  });

  it("is enough where the proxies have other addresses", async () => {
    const hub = await opened({ config: { auth: { trustedProxies: ["10.0.0.0/8", "fd00::1"] } } });
    assert.equal(await keyless(hub), 200);
  });

  it("is not enough where the hub is called by a name of others", async () => {
    const hub = await opened({ config: { auth: { allowedHosts: ["hub.example.org"] } } });
    assert.equal(await keyless(hub), 401);
    hub.writeConfig({ auth: { allowedHosts: ["127.0.0.1:1234", "hub.localhost"] } });
    await askUntil(
      "it is enough again",
      () => keyless(hub),
      (status) => status === 200,
    );
  });

  it("is not enough where the hub listens beyond it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-test-"));
    closing.push(() => rmSync(folder, { recursive: true, force: true }));
    const key = (await runZaguan(["key", "create", "owner", "--admin", "--data", "data"], folder)).stdout.trim();
    const hub = await opened({ folder, args: ["--host", "0.0.0.0"] });
    assert.equal(await keyless(hub), 401);
    assert.equal(await keyless(hub, { authorization: `Bearer ${key}` }), 200);
  });
});

describe("whoever can read the data folder", () => {
  let hub: SpawnedZaguan;
  it("is the local user, where a key is asked for too", async () => {
    hub = await opened({ config: { auth: { requireKey: true } } });
    assert.equal(await keyless(hub), 401);
    assert.equal(await keyless(hub, { authorization: `Bearer ${tokenOf(hub)}` }), 200);
  });

  it("is its owner alone", { skip: process.platform === "win32" && "no file modes" }, () => {
    assert.equal(statSync(hubFile(hub)).mode & 0o777, 0o600);
  });

  it("uses the commands without a key", async () => {
    for (const words of [["servers"], ["tools"], ["call", "get_all_states"], ["agent", "create", "butler"]]) {
      const { code, stderr } = await zaguan(hub, ...words);
      assert.equal(code, 0, `${words.join(" ")}: ${stderr}`);
    }
  });

  it("is no local user by way of a hub, and the token of another start is none", async () => {
    const authorization = `Bearer ${tokenOf(hub)}`;
    assert.equal(await keyless(hub, { authorization, "zaguan-via": "1 habcdefghijk" }), 401);
    assert.equal(await keyless(hub, { authorization: `${authorization}x` }), 401);
    assert.equal(await keyless(hub, { authorization, "x-api-key": "zgn_other" }), 401);
  });

  it("has that token neither in the log nor in an answer", async () => {
    const local = new RegistryClient(hub.url).withKey(tokenOf(hub));
    for (const path of ["/mcp/status", "/mcp/servers", "/keys", "/health", "/openapi.json"])
      assert.ok(!(await local.get(path)).text.includes(tokenOf(hub)), path);
    assert.ok(!hub.stdout().includes(tokenOf(hub)) && !hub.stderr().includes(tokenOf(hub)));
  });
});

describe("the commands", () => {
  it("tell the token to no other address", async () => {
    const [one, two] = [await opened(), await opened({ config: { auth: { requireKey: true } } })];
    const { code, stderr } = await zaguan(one, "servers", "--hub", two.url);
    assert.notEqual(code, 0);
    assert.match(stderr, /key/);
  });

  it("say by `doctor` that a proxy was seen which the configuration does not know of", async () => {
    const hub = await opened();
    assert.match((await zaguan(hub, "doctor")).stdout, /✓ .*no key is needed on this machine/);
    await keyless(hub, { "x-forwarded-for": "8.8.8.8" });
    const { code, stdout } = await zaguan(hub, "doctor");
    assert.equal(code, 1);
    assert.match(stdout, /✗ .*proxy.*auth\.requireKey/s);
    await makeKey(hub, "owner", "--admin");
    hub.writeConfig({ auth: { requireKey: true } });
    const isWell = async (): Promise<boolean> => /✓ .*Everybody needs a key/.test((await zaguan(hub, "doctor")).stdout);
    await until("the doctor is content", isWell);
  });
});
