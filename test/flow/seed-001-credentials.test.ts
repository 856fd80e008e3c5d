/**
 * Credentials of registered servers at a real hub: sent to the server and nowhere else, encrypted where they are kept,
 * there again after a restart, and out of reach for whoever has another secret key.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { RegistryClient } from "../support/registry-client.ts";
import { StandIn } from "../support/registry-servers.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const ARGS = { prompt: "hola" };
const SAID = "nombre-herramienta: hola";
const LEDGER = fileURLToPath(new URL("../support/ledger-server.mjs", import.meta.url));

const secret = (): string => `secreto-${randomBytes(12).toString("hex")}`;
const APIKEY = secret();
const OAUTH = secret();
const NAMED = secret();
const HEADER = secret();
const ENV = secret();
const REPLACED = secret();
const ALL = [APIKEY, OAUTH, NAMED, HEADER, ENV, REPLACED];

const SERVERS = {
  llave: { authType: "apikey", credentials: APIKEY },
  ficha: { authType: "oauth", credentials: OAUTH },
  propia: { authType: "apikey", credentials: { header: "X-Llave", value: NAMED }, headers: { "X-Otra": HEADER } },
};
const SENT: Readonly<Record<keyof typeof SERVERS, Readonly<Record<string, string>>>> = {
  llave: { "x-api-key": APIKEY },
  ficha: { authorization: `Bearer ${OAUTH}` },
  propia: { "x-llave": NAMED, "x-otra": HEADER },
};
const NAMES = Object.keys(SERVERS) as (keyof typeof SERVERS)[];

const folder = mkdtempSync(join(tmpdir(), "zaguan-credentials-"));
const dataFile = (name: string): string => join(folder, "data", name);
let said = "";
let standIn: StandIn;
let hub: SpawnedZaguan;
let client: RegistryClient;

async function open(env: Readonly<Record<string, string>> = {}): Promise<void> {
  const config = { auth: { allowedCommands: [process.execPath] }, log: { level: "trace" } };
  hub = await spawnZaguan({ folder, config, env });
  client = new RegistryClient(hub.url);
}

async function close(): Promise<void> {
  await hub.stop();
  said += hub.stdout() + hub.stderr();
}

before(async () => {
  standIn = await StandIn.start();
  await open();
});
after(async () => {
  await hub.stop();
  await standIn.close();
  rmSync(folder, { recursive: true, force: true });
});

async function assertCalled(name: keyof typeof SERVERS): Promise<void> {
  assert.equal(await client.textOf(`/servers/${name}/mcp`, "nombre-herramienta", ARGS), SAID);
  for (const [header, value] of Object.entries(SENT[name])) {
    assert.equal(standIn.calls.at(-1)?.headers[header], value);
  }
}

describe("credentials", () => {
  it("are never told: not when they are given, nor afterwards, nor when they are changed", async () => {
    const texts: string[] = [];
    for (const [name, more] of Object.entries(SERVERS)) {
      texts.push((await client.post("/mcp/servers", { name, baseUrl: standIn.url, ...more })).text);
      texts.push((await client.post(`/mcp/servers/${name}/discover`)).text);
      for (const path of ["", "/discovery"]) texts.push((await client.get(`/mcp/servers/${name}${path}`)).text);
    }
    const program = { name: "programa", command: process.execPath, args: [LEDGER, join(folder, "l.txt")] };
    texts.push((await client.post("/mcp/servers", { ...program, env: { SECRETO: ENV } })).text);
    texts.push((await client.post("/mcp/servers/programa/discover")).text);
    for (const path of ["/mcp/servers", "/mcp/tools/all", "/health"]) texts.push((await client.get(path)).text);
    texts.push((await client.post("/mcp/servers", { name: "llave", baseUrl: standIn.url, credentials: APIKEY })).text);
    texts.push(
      (await client.post("/mcp/servers", { name: "x", baseUrl: standIn.url, authType: 7, credentials: APIKEY })).text,
    );
    assertSilent(texts.join("\n"));
  });

  it("go to the server as headers, with every request", async () => {
    for (const name of NAMES) {
      standIn.told.splice(0);
      await assertCalled(name);
      for (const { headers } of standIn.told) {
        for (const [header, value] of Object.entries(SENT[name])) assert.equal(headers[header], value);
      }
    }
  });

  it("stay as they are when something else of the server is changed, and change when they are", async () => {
    await client.done("PATCH", "/mcp/servers/llave", { name: "llave2" });
    await client.done("PATCH", "/mcp/servers/llave2", { name: "llave" });
    await assertCalled("llave");
    const { text } = await client.patch("/mcp/servers/llave", { credentials: REPLACED });
    assertSilent(text);
    await client.textOf("/servers/llave/mcp", "nombre-herramienta", ARGS);
    assert.equal(standIn.calls.at(-1)?.headers["x-api-key"], REPLACED);
    await client.done("PATCH", "/mcp/servers/llave", { credentials: APIKEY });
  });

  it("are in no file and in no line of the log in clear", async () => {
    for (const name of NAMES) await assertCalled(name);
    assertFolderSilent();
    await close();
    assertFolderSilent();
    assertSilent(said);
    await open();
  });

  it("are encrypted with a key in a file that only its owner reads", () => {
    assert.equal(statSync(dataFile("secret.key")).mode & 0o077, 0);
    assert.equal(statSync(dataFile("zaguan.db")).mode & 0o077, 0);
  });

  it("survive a restart", async () => {
    for (const name of NAMES) await assertCalled(name);
    await client.done("POST", "/mcp/servers", { name: "abierta", baseUrl: standIn.url });
    await client.done("POST", "/mcp/servers/abierta/discover");
  });
});

describe("another secret key", () => {
  const kept = (): string => readFileSync(dataFile("secret.key"), "utf8");
  let right: string;

  it("opens the hub, and says of each server with credentials that they cannot be read; the others work", async () => {
    await close();
    right = kept();
    writeFileSync(dataFile("secret.key"), `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
    await open();
    assert.equal(await client.textOf("/servers/abierta/mcp", "nombre-herramienta", ARGS), SAID);
    standIn.told.splice(0);
    for (const name of NAMES) {
      const { text, body } = await client.call(`/servers/${name}/mcp`, "nombre-herramienta", ARGS);
      assert.ok(body?.error ?? body?.result?.isError, text);
      assertSilent(text);
      const server = (await client.get(`/mcp/servers/${name}`)).body;
      assert.match(`${server.lastError} ${text}`, /credential|secret|key|decrypt/i, "the reason is told");
    }
    assert.deepEqual(standIn.calls, [], "nothing is sent without the credentials that belong to it");
    assert.equal((await client.get("/mcp/servers")).body.length, 6);
  });

  it("loses nothing: with the right one, from the environment too, all is as it was", async () => {
    await close();
    writeFileSync(dataFile("secret.key"), `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
    await open({ ZAGUAN_SECRET_KEY: right.trim() });
    for (const name of NAMES) await assertCalled(name);
    await close();
    writeFileSync(dataFile("secret.key"), right, { mode: 0o600 });
    await open();
    for (const name of NAMES) await assertCalled(name);
  });

  it("that is no key at all is told at the start, in a line that does not repeat it", async () => {
    await close();
    const broken = "no-es-una-llave";
    const failure = await open({ ZAGUAN_SECRET_KEY: broken }).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (failure === undefined) await close();
    await open();
    assert.ok(failure, "it started with a key that is none");
    assert.match(failure, /ZAGUAN_SECRET_KEY/);
    assert.ok(!failure.includes(broken) && !/\n\s+at /.test(failure), failure);
  });
});

function assertSilent(text: string): void {
  for (const [index, value] of ALL.entries()) {
    for (const form of [
      value,
      Buffer.from(value).toString("base64").slice(0, -4),
      Buffer.from(value).toString("hex"),
    ]) {
      assert.ok(!text.includes(form), `secret ${index} is told`);
    }
  }
}

function assertFolderSilent(): void {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  const contents = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, "latin1"));
  assert.ok(contents.length > 2);
  for (const content of contents) assertSilent(content);
}
