import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConfigError } from "./config-error.ts";
import { resolveServeOptions } from "./env.ts";

const DEFAULTS = {
  host: "127.0.0.1",
  port: 3003,
  configFile: "zaguan.json",
  dataDir: "data",
  language: "en",
  allowPrivate: false,
};

describe("the options of serving", () => {
  it("have defaults, and English whatever LANG says", () => {
    assert.deepEqual(resolveServeOptions({}, { LANG: "es_ES.UTF-8", LC_ALL: "fr" }), DEFAULTS);
  });

  it("come from the environment", () => {
    const env = {
      ZAGUAN_HOST: "0.0.0.0",
      ZAGUAN_PORT: "8080",
      ZAGUAN_CONFIG: "/etc/hub.json",
      ZAGUAN_DATA: "/var/lib/hub",
      ZAGUAN_LANG: "zh",
      ZAGUAN_ALLOW_PRIVATE: "1",
    };
    assert.deepEqual(resolveServeOptions({}, env), {
      host: "0.0.0.0",
      port: 8080,
      configFile: "/etc/hub.json",
      dataDir: "/var/lib/hub",
      language: "zh",
      allowPrivate: true,
    });
  });

  it("come from flags before the environment, also where the environment is wrong", () => {
    const flags = { port: "0", lang: "fr", "allow-private": false, host: "[::1]" };
    const env = { ZAGUAN_PORT: "many", ZAGUAN_LANG: "es", ZAGUAN_ALLOW_PRIVATE: "yes" };
    const expected = { ...DEFAULTS, port: 0, language: "fr", host: "::1" };
    assert.deepEqual(resolveServeOptions(flags, env), expected);
    assert.equal(resolveServeOptions({ "allow-private": true }, {}).allowPrivate, true);
  });

  it("have a database only where one is named", () => {
    const env = { ZAGUAN_DATABASE: "postgres://db/one" };
    assert.equal(resolveServeOptions({}, env).database, "postgres://db/one");
    assert.equal(resolveServeOptions({ database: "postgres://db/two" }, env).database, "postgres://db/two");
    assert.throws(() => resolveServeOptions({ database: true }, {}), /^ConfigError: --database: a value is missing$/);
  });

  it("have NATS and the name of a node only where they are named", () => {
    const env = { ZAGUAN_NATS: "nats://one", ZAGUAN_NODE: "garage" };
    assert.deepEqual(resolveServeOptions({}, env), { ...DEFAULTS, nats: "nats://one", node: "garage" });
    const flags = { nats: "nats://two", node: "attic" };
    assert.deepEqual(resolveServeOptions(flags, env), { ...DEFAULTS, ...flags });
    assert.deepEqual(resolveServeOptions({}, { ZAGUAN_NATS: "", ZAGUAN_NODE: "" }), DEFAULTS);
    refused({ nats: true }, {}, "--nats: a value is missing");
    refused({ node: true }, {}, "--node: a value is missing");
  });

  it("treat an empty variable as not set", () => {
    const env = { ZAGUAN_HOST: "", ZAGUAN_PORT: "", ZAGUAN_ALLOW_PRIVATE: "" };
    assert.deepEqual(resolveServeOptions({}, env), DEFAULTS);
  });
});

describe("bad options", () => {
  it("are refused with their name and what is allowed", () => {
    refused({ port: "65536" }, {}, '--port: "65536" is not a whole number from 0 to 65535 (0 takes any free port)');
    refused({}, { ZAGUAN_PORT: "-1" }, /^ZAGUAN_PORT: "-1" is not a whole number/);
    for (const port of ["", " 80", "8e3", "0x50", "3003.5", "123456"]) refused({ port }, {}, /^--port: /);
    refused({ lang: "de" }, {}, '--lang: "de" is not one of en, es, fr, zh');
    refused({}, { ZAGUAN_LANG: "constructor" }, /^ZAGUAN_LANG: /);
    for (const host of ["", "http://a", "localhost:3003", "a b", "[::1"])
      refused({ host }, {}, /^--host: .* without a port$/);
    refused({ config: "" }, {}, '--config: "" is not a path');
    refused({}, { ZAGUAN_DATA: " " }, 'ZAGUAN_DATA: " " is not a path');
    refused({}, { ZAGUAN_ALLOW_PRIVATE: "perhaps" }, 'ZAGUAN_ALLOW_PRIVATE: "perhaps" is not true or false');
  });

  it("include a flag without its value", () => {
    refused({ port: true }, {}, "--port: a value is missing");
  });
});

function refused(
  flags: Parameters<typeof resolveServeOptions>[0],
  env: Record<string, string>,
  message: string | RegExp,
): void {
  assert.throws(
    () => resolveServeOptions(flags, env),
    (error) => {
      assert.ok(error instanceof ConfigError);
      if (typeof message === "string") assert.equal(error.message, message);
      else assert.match(error.message, message);
      return true;
    },
  );
}
