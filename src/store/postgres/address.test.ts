import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseAddress } from "./address.ts";

describe("the address of a PostgreSQL database", () => {
  it("has all its parts in one line", () => {
    const { shown, ...parts } = parseAddress(
      "postgres://ana:p%40%2F%25@db.example.org:6432/house?schema=hub_2&sslmode=verify-full&sslrootcert=/ca.pem&sslcert=/c.pem&sslkey=/k.pem",
      { PGPASSWORD: "other", PGSSLMODE: "disable" },
    );
    assert.deepEqual(parts, {
      host: "db.example.org",
      port: 6432,
      user: "ana",
      password: "p@/%",
      database: "house",
      schema: "hub_2",
      tlsMode: "verify-full",
      rootCertificate: "/ca.pem",
      certificate: "/c.pem",
      key: "/k.pem",
    });
    assert.equal(shown, "postgres://db.example.org:6432/house?schema=hub_2");
  });

  it("has the usual defaults, and the rest from the environment", () => {
    const bare = parseAddress("postgresql://db", { PGUSER: "ana", PGPASSWORD: "secret", PGSSLMODE: "require" });
    assert.deepEqual([bare.host, bare.port, bare.user, bare.password], ["db", 5432, "ana", "secret"]);
    assert.deepEqual([bare.database, bare.schema, bare.tlsMode], ["ana", "zaguan", "require"]);
    assert.equal(parseAddress("postgres://", {}).host, "localhost");
    assert.equal(parseAddress("postgres://db", {}).tlsMode, "prefer");
  });

  it("may be IPv6, or the folder of a Unix socket", () => {
    const six = parseAddress("postgres://u@[::1]:5433/db", {});
    assert.deepEqual([six.host, six.shown], ["::1", "postgres://[::1]:5433/db"]);
    for (const written of ["postgres://u@/db?host=/run/postgresql", "postgres://u@%2Frun%2Fpostgresql:5433/db"]) {
      const { host, shown } = parseAddress(written, {});
      assert.equal(host, "/run/postgresql");
      assert.equal(parseAddress(shown, {}).host, host);
    }
  });

  for (const [what, address, text] of [
    ["no URL", "secret", /^it is not of the form postgres:\/\//],
    ["another protocol", "mysql://u:secret@h/db", /^it is not of the form/],
    ["a password that is not encoded", "postgres://u:se#cret@h/db", /^it is not of the form/],
    ["a % that encodes nothing", "postgres://u:secret%@h/db", /^it holds a %/],
    [
      "an unknown parameter",
      "postgres://u:secret@h/db?poolsize=9",
      /^there is no parameter "poolsize"; known: host, schema/,
    ],
    ["an unknown sslmode", "postgres://u:secret@h/db?sslmode=allow", /^sslmode must be one of disable, prefer/],
    ["a schema that would need quotes", 'postgres://u:secret@h/db?schema=a"b', /^schema must be/],
    ["a schema of PostgreSQL's own", "postgres://u:secret@h/db?schema=pg_house", /^schema must be/],
  ] as const) {
    it(`is refused with a reason, and without its password: ${what}`, () => {
      assert.throws(
        () => parseAddress(address, {}),
        (error: Error) => {
          assert.ok(error instanceof TypeError);
          assert.match(error.message, text);
          assert.ok(!error.message.includes("secret") && !error.message.includes("cret@"));
          return true;
        },
      );
    });
  }
});
