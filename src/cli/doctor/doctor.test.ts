/** The doctor's checks, each with something well and something ill. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { resolveServeOptions } from "../../config/env.ts";
import { say } from "../../messages/catalogue.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { checkConfiguration, checkServers, findProgram } from "./configuration.ts";
import { checkDatabase, checkDataFolder, databaseFile } from "./data-folder.ts";
import type { Finding, Patient } from "./finding.ts";
import { checkPort } from "./running-hub.ts";

const folder = mkdtempSync(join(tmpdir(), "zaguan-doctor-"));
after(() => rmSync(folder, { recursive: true }));

let count = 0;

function patient(flags: Parameters<typeof resolveServeOptions>[0] = {}): Patient {
  const data = join(folder, `data-${++count}`);
  const serve = resolveServeOptions({ data, config: join(folder, `${count}.json`), ...flags }, {});
  return { serve, env: { PATH: folder }, key: undefined, say: (key, params) => say("en", key, params) };
}

function verdicts(findings: readonly Finding[]): readonly boolean[] {
  for (const { ok, advice } of findings) assert.equal(advice === undefined, ok, "advice where something is wrong");
  return findings.map(({ ok }) => ok);
}

describe("the data folder", () => {
  test("need not be there yet", async () => assert.deepEqual(verdicts(await checkDataFolder(patient())), [true]));

  test("is well if only we may write in it", async () => {
    const someone = patient();
    mkdirSync(someone.serve.dataDir, { mode: 0o700 });
    assert.deepEqual(verdicts(await checkDataFolder(someone)), [true]);
  });

  test("is ill if others may write in it", async () => {
    const someone = patient();
    mkdirSync(someone.serve.dataDir);
    chmodSync(someone.serve.dataDir, 0o777);
    assert.match((await checkDataFolder(someone))[0]?.advice ?? "", /^chmod 700/);
  });

  test("is ill if it is a file", async () => {
    const someone = patient();
    writeFileSync(someone.serve.dataDir, "");
    assert.deepEqual(verdicts(await checkDataFolder(someone)), [false]);
  });
});

describe("the database", () => {
  test("need not be there yet, and is not made", async () => {
    const someone = patient();
    assert.deepEqual(verdicts(await checkDatabase(someone)), [true]);
    assert.deepEqual(verdicts(await checkDataFolder(someone)), [true]);
  });

  test("is well as the hub makes it", async () => {
    const someone = patient();
    await (await openSqliteStore(databaseFile(someone.serve.dataDir))).close();
    assert.deepEqual(verdicts(await checkDatabase(someone)), [true]);
  });

  test("is ill if it is damaged", async () => {
    const someone = patient();
    mkdirSync(someone.serve.dataDir);
    writeFileSync(databaseFile(someone.serve.dataDir), "this is no database".repeat(100), { mode: 0o600 });
    assert.match((await checkDatabase(someone))[0]?.text ?? "", /damaged/);
  });

  test("is ill if others may read it", async () => {
    const someone = patient();
    await (await openSqliteStore(databaseFile(someone.serve.dataDir))).close();
    chmodSync(databaseFile(someone.serve.dataDir), 0o644);
    assert.match((await checkDatabase(someone))[0]?.advice ?? "", /^chmod 600/);
  });
});

describe("the configuration", () => {
  test("need not be there", async () => {
    assert.deepEqual(verdicts(await checkConfiguration(patient())), [true]);
  });

  test("is ill if it is broken, and then nothing is said about its servers", async () => {
    const someone = patient();
    writeFileSync(someone.serve.configFile, "{");
    assert.deepEqual(verdicts(await checkConfiguration(someone)), [false]);
    assert.deepEqual(await checkServers(someone), []);
  });

  test("has servers, each of which is looked at", async () => {
    const someone = patient();
    writeFileSync(join(folder, "there"), "", { mode: 0o755 });
    const mcpServers = {
      found: { command: "there" },
      absolute: { command: join(folder, "there") },
      missing: { command: "no-such-program" },
      off: { command: "no-such-program", disabled: true },
      web: { url: "https://example.org/mcp" },
      near: { url: "http://127.0.0.1:9/mcp" },
      allowed: { url: "http://127.0.0.1:9/mcp", zaguan: { allowPrivate: true } },
    };
    writeFileSync(someone.serve.configFile, JSON.stringify({ mcpServers }));
    assert.deepEqual(verdicts(await checkConfiguration(someone)), [true]);
    assert.deepEqual(verdicts(await checkServers(someone)), [true, true, false, true, true, false, true]);
  });
});

describe("REST APIs of the configuration", () => {
  test("have a document that is there, or an address that may be asked", async () => {
    const someone = patient();
    writeFileSync(join(folder, "pets.yaml"), "openapi: 3.1.0");
    const tools = [{ name: "t", description: "d", path: "/" }];
    const apiTools = {
      there: { openapi: "./pets.yaml" },
      gone: { openapi: "./no-such.yaml" },
      off: { openapi: "./no-such.yaml", disabled: true },
      web: { openapi: "https://example.org/openapi.json" },
      near: { openapi: "http://127.0.0.1:9/openapi.json" },
      written: { baseUrl: "http://10.0.0.7", tools },
      allowed: { baseUrl: "http://10.0.0.7", tools, zaguan: { allowPrivate: true } },
    };
    writeFileSync(someone.serve.configFile, JSON.stringify({ apiTools }));
    const findings = await checkServers(someone);
    assert.deepEqual(verdicts(findings), [true, false, true, true, false, false, true]);
    assert.match(findings[1]?.text ?? "", /gone: there is no .*no-such\.yaml$/);
  });
});

describe("the port", () => {
  test("is well if it is free", async () => {
    assert.deepEqual(verdicts(await checkPort(patient({ port: "0" }))), [true]);
  });

  test("is ill if another program has it", async () => {
    const server = createServer((socket) => socket.end("220 mail\r\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const port = String((server.address() as AddressInfo).port);
    assert.match((await checkPort(patient({ port })))[0]?.text ?? "", /used by another program/);
    server.close();
  });

  test("is well if a hub of another folder has it", async () => {
    const server = createHttpServer((_, response) => response.end('{"status":"healthy","version":"0.1.0"}'));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const port = String((server.address() as AddressInfo).port);
    assert.match((await checkPort(patient({ port })))[0]?.text ?? "", /hub of another data folder.* \d+ ms/);
    server.close();
  });

  test("is ill if the hub that should be there does not answer", async () => {
    const someone = patient();
    mkdirSync(someone.serve.dataDir);
    const hub = { pid: process.pid, url: "http://127.0.0.1:1", configFile: "x" };
    writeFileSync(join(someone.serve.dataDir, "hub.json"), JSON.stringify(hub));
    assert.match((await checkPort(someone))[0]?.text ?? "", /does not answer/);
  });
});

describe("a program", () => {
  const search = { path: `/nowhere:${folder}`, cwd: folder };

  test("is found by name in the path, and by its own path from its working directory", () => {
    writeFileSync(join(folder, "prog"), "", { mode: 0o755 });
    assert.equal(findProgram("prog", search), join(folder, "prog"));
    assert.equal(findProgram("./prog", search), join(folder, "prog"));
  });

  test("is neither a folder nor a file that cannot be run", () => {
    mkdirSync(join(folder, "dir"));
    writeFileSync(join(folder, "notes"), "", { mode: 0o644 });
    assert.equal(findProgram("dir", search), undefined);
    assert.equal(findProgram("notes", search), undefined);
  });
});
