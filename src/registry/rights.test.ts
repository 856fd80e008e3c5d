import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ADMIN, LOCAL, PLAIN } from "../../test/support/registry-ports.ts";
import type { ZaguanError } from "../errors.ts";
import type { RegistryRules } from "./ports.ts";
import { checkAddress, checkCommand, checkServer } from "./rights.ts";

const RULES: RegistryRules = { allowPrivate: false, allowedCommands: ["node", "npx"], discoveryMs: 1 };
const NOT_ALLOWED = { code: "COMMAND_NOT_ALLOWED" };

describe("a server that is given by a command", () => {
  it("is for commands that the configuration allows", () => {
    checkCommand("node", { PORT: "1" }, RULES);
    for (const command of ["sh", "node ", "/usr/bin/node", "NODE", ""]) {
      assert.throws(() => checkCommand(command, {}, RULES), NOT_ALLOWED, command);
    }
  });

  it("may not be made to run something else by its environment", () => {
    for (const name of ["NODE_OPTIONS", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "node_options", "BASH_ENV"]) {
      assert.throws(() => checkCommand("node", { [name]: "x" }, RULES), NOT_ALLOWED, name);
    }
  });

  it("is for nobody where the configuration allows none", () => {
    assert.throws(() => checkCommand("node", {}, { ...RULES, allowedCommands: [] }), NOT_ALLOWED);
  });
});

describe("a server", () => {
  const fieldsOf = (described: Parameters<typeof checkServer>[0]): unknown => {
    try {
      return checkServer(described, ADMIN, RULES);
    } catch (cause) {
      return (cause as ZaguanError).details.data;
    }
  };

  it("is given by an address or by a command, and who gives none or both is told which field is at fault", () => {
    const baseUrl = "https://example.com/mcp";
    assert.deepEqual([fieldsOf({ baseUrl }), fieldsOf({ command: "node" })], [false, false]);
    const missing = { field: "baseUrl", message: "baseUrl or command is required" };
    const extra = { field: "command", message: "baseUrl and command exclude each other" };
    assert.deepEqual(fieldsOf({}), { errors: [missing] });
    assert.deepEqual(fieldsOf({ baseUrl, command: "node" }), { errors: [extra] });
  });
});

describe("the address of a server", () => {
  it("may be anywhere on the internet; where its name leads is looked at when it is called", () => {
    for (const url of [
      "https://example.com/mcp",
      "wss://example.com",
      "http://8.8.8.8:8080",
      "https://[2606:4700::1]",
    ]) {
      assert.equal(checkAddress(url, PLAIN, RULES), false, url);
    }
  });

  for (const url of [
    "http://10.0.0.1",
    "http://192.168.1.20:8123/mcp",
    "ws://172.16.0.1",
    "http://169.254.169.254/latest/meta-data",
    "http://0.0.0.0",
    "http://[fd00::1]/",
    "http://[fe80::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://0x0a000001/",
    "http://2886729729/",
  ]) {
    it(`may not be ${url}, whoever says so`, () => {
      for (const principal of [LOCAL, ADMIN, PLAIN]) {
        assert.throws(() => checkAddress(url, principal, RULES), { code: "FORBIDDEN_ADDRESS" });
      }
    });
  }

  for (const url of [
    "http://localhost:3000",
    "http://127.0.0.1",
    "http://[::1]:1",
    "http://a.localhost",
    "http://127.1",
  ]) {
    it(`may be ${url} for those who sit at this machine`, () => {
      assert.equal(checkAddress(url, LOCAL, RULES), true);
      for (const principal of [ADMIN, PLAIN]) {
        assert.throws(() => checkAddress(url, principal, RULES), { code: "FORBIDDEN_ADDRESS" });
      }
    });
  }

  it("may be private for everybody where the hub as a whole may, which is not kept with the server", () => {
    for (const url of ["http://10.0.0.1", "http://localhost"]) {
      assert.equal(checkAddress(url, PLAIN, { ...RULES, allowPrivate: true }), false);
    }
  });
});
