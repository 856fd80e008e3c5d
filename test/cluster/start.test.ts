/** Starting on a database: every wrong address is one clear line without a password in it; TLS as people know it from psql. */
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { certificates } from "../support/mqtt/mosquitto.ts";
import { chownTo, NO_POSTGRES, PASSWORD, type Postgres, startPostgres } from "../support/postgres.ts";
import { until } from "../support/processes.ts";
import { runZaguan } from "../support/run-zaguan.ts";

/** Connections of ours, in the server's own words. */
const OURS = "pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'zaguan'";

describe("a start on a database", { skip: NO_POSTGRES }, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-start-"));
  const other = createServer((_, response) => response.end("hello"));
  let server: Postgres;
  let files: ReturnType<typeof certificates>;
  before(async () => {
    server = await startPostgres();
    files = certificates(folder);
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    await server?.dispose();
    other.close();
    rmSync(folder, { recursive: true });
  });

  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runZaguan(["serve", "--port", "0", "--data", join(folder, "data"), ...args], folder, env);
  const address = (rest: string) => `postgres://zaguan:${encodeURIComponent(PASSWORD)}@127.0.0.1:${server.port}${rest}`;

  const wrong: readonly (readonly [string, () => string, string])[] = [
    ["no URL at all", () => "house", "Cannot open the database: it is not of the form postgres://"],
    ["a wrong parameter", () => address("/postgres?pool=4"), 'Cannot open the database: there is no parameter "pool"'],
    [
      "a wrong password",
      () => `postgres://zaguan:secretly-wrong@127.0.0.1:${server.port}/postgres`,
      "/postgres: the user or the password is wrong",
    ],
    ["no password", () => `postgres://zaguan@127.0.0.1:${server.port}/postgres`, "the user or the password is wrong"],
    ["no such database", () => address("/nowhere"), "/nowhere: there is no database of that name"],
    ["no such host", () => "postgres://u:secret@nowhere.invalid/db", "there is no host of that name"],
    [
      "nothing that listens",
      () => "postgres://u:secret@127.0.0.1:1/db",
      "postgres://127.0.0.1:1/db: nothing listens there",
    ],
    [
      "somebody else who listens",
      () => `postgres://u:secret@127.0.0.1:${(other.address() as AddressInfo).port}/db`,
      "what listens there does not answer as PostgreSQL does",
    ],
    [
      "no TLS where it is asked for",
      () => address("/postgres?sslmode=require"),
      "the server has no TLS, which sslmode asks for",
    ],
    [
      "a file that is not there",
      () => address("/postgres?sslmode=verify-ca&sslrootcert=/no/where"),
      "the file of sslrootcert cannot be read: ENOENT",
    ],
  ];
  for (const [what, database, text] of wrong) {
    it(`is refused in one line: ${what}`, async () => {
      const { code, stdout, stderr } = await start(["--database", database()]);
      assert.deepEqual([code, stdout, stderr.split("\n").length], [1, "", 2], stderr);
      assert.ok(stderr.startsWith("zaguan: Cannot open the database") && stderr.includes(text), stderr);
      assert.doesNotMatch(stderr, /secret|zaguan:p/);
    });
  }

  it("is refused in the user's language", async () => {
    const { stderr } = await start(["--lang", "es", "--database", "postgres://u@127.0.0.1:1/db"]);
    assert.match(
      stderr,
      /^zaguan: No se puede abrir la base de datos postgres:\/\/127\.0\.0\.1:1\/db: nada escucha allí\n$/,
    );
  });

  it("may be said by the environment or the file, too", async () => {
    const variable = await start([], { ZAGUAN_DATABASE: "postgres://u@127.0.0.1:1/db" });
    assert.match(variable.stderr, /127\.0\.0\.1:1\/db: nothing listens there/);
    writeFileSync(
      join(folder, "hub.json"),
      JSON.stringify({ cluster: { database: `postgres://u@127.0.0.1:\${PORT_OF_DB}/db` } }),
    );
    const file = await start(["--config", join(folder, "hub.json")], { PORT_OF_DB: "2" });
    assert.match(file.stderr, /127\.0\.0\.1:2\/db: nothing listens there/);
    writeFileSync(join(folder, "bad.json"), JSON.stringify({ cluster: { databse: "x" } }));
    const typo = await start(["--config", join(folder, "bad.json")]);
    assert.match(typo.stderr, /^zaguan: bad\.json: cluster.*databse/);
  });

  it("asks for rights, an encoding and a schema that it can use", async () => {
    server.sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    await assert.rejects(openPostgresStore(parseAddress(address("/latin"), {})), {
      message: "its encoding is LATIN1, and only UTF8 holds every text",
    });
    server.sql("CREATE ROLE guest LOGIN PASSWORD 'guest'");
    const guest = `postgres://guest:guest@127.0.0.1:${server.port}/postgres?schema=guests`;
    await assert.rejects(openPostgresStore(parseAddress(guest, {})), {
      message: "its user has no right to create the schema or the tables there",
    });
    server.sql("CREATE SCHEMA guests AUTHORIZATION guest");
    await (await openPostgresStore(parseAddress(guest, {}))).close();
  });

  it("takes the password from the environment, and a Unix socket for a host", async () => {
    const socket = parseAddress(`postgres://zaguan@:${server.port}/postgres?host=${server.folder}`, {
      PGPASSWORD: PASSWORD,
    });
    await (await openPostgresStore(socket)).close();
  });

  describe("over TLS", () => {
    let secure: Postgres;
    before(async () => {
      const [cert, key] = ["tls.pem", "tls.key"].map((name) => join(server.folder, name));
      copyFileSync(files.cert, cert ?? "");
      copyFileSync(files.key, key ?? "");
      chownTo(cert ?? "", 0o600);
      chownTo(key ?? "", 0o600);
      secure = await startPostgres({ settings: ["ssl=on", `ssl_cert_file=${cert}`, `ssl_key_file=${key}`] });
    });
    after(() => secure?.dispose());

    const open = async (host: string, rest: string): Promise<string> => {
      const url = secure.url("tls").replace("127.0.0.1", host);
      // The server forgets a connection a moment after it was closed: the last one is not to be counted.
      await until("nobody is connected", () => secure.sql(`SELECT count(*) FROM ${OURS}`) === "0");
      const store = await openPostgresStore(parseAddress(`${url}${rest}`, {}));
      const used = secure.sql(`SELECT bool_and(ssl) FROM ${OURS}`);
      await store.close();
      return used;
    };

    it("encrypts wherever the server can, unless it is told not to", async () => {
      assert.deepEqual([await open("127.0.0.1", ""), await open("127.0.0.1", "&sslmode=require")], ["t", "t"]);
      assert.equal(await open("127.0.0.1", "&sslmode=disable"), "f");
    });

    it("checks the certificate and the name in it where that is asked for", async () => {
      const ca = `&sslrootcert=${files.ca}`;
      assert.equal(await open("localhost", `&sslmode=verify-full${ca}`), "t");
      assert.equal(await open("127.0.0.1", `&sslmode=verify-full${ca}`), "t");
      await assert.rejects(open("127.0.0.2", `&sslmode=verify-full${ca}`), /nothing listens|certificate is refused/);
      for (const mode of ["verify-ca", "verify-full"]) {
        await assert.rejects(open("127.0.0.1", `&sslmode=${mode}`), /^TypeError: its certificate is refused: [A-Z_]+$/);
      }
    });
  });
});
