import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openSecrets } from "../../test/support/registry-ports.ts";
import type { ServerRecord } from "../store/registry.ts";
import { type Sealed, seal, serverConfigOf, unseal } from "./connection.ts";

const RECORD: ServerRecord = {
  id: "1",
  name: "Lamps",
  origin: "registered",
  authType: "none",
  allowPrivate: false,
  status: "active",
  baseUrl: "https://lamps.example/mcp",
  createdUtc: "",
  updatedUtc: "",
};

function headersFor(authType: ServerRecord["authType"], sealed: Sealed): object {
  return serverConfigOf({ ...RECORD, authType }, sealed).headers;
}

describe("what is kept under seal", () => {
  const secrets = openSecrets("a key");

  it("opens again for the same server, and for one whose name differs in case alone", () => {
    const sealed = seal(secrets, "lamps", { credentials: "k", headers: { a: "b" } });
    assert.deepEqual(unseal(secrets, { ...RECORD, sealed }), { credentials: "k", headers: { a: "b" } });
  });

  it("opens for no other server", () => {
    const sealed = seal(secrets, "doors", { credentials: "k" });
    assert.throws(() => unseal(secrets, { ...RECORD, sealed }), { code: "SOURCE_UNAVAILABLE", delivery: "not_sent" });
  });

  it("is nothing at all where there is no secret", () => {
    assert.equal(seal(secrets, "lamps", {}), undefined);
    assert.equal(seal(secrets, "lamps", { credentials: null, headers: undefined, env: undefined }), undefined);
    assert.deepEqual(unseal(secrets, RECORD), {});
  });
});

describe("a registered server", () => {
  it("is reached over HTTP at its address, or over a WebSocket if the address says so", () => {
    const { type, url, policy } = serverConfigOf(RECORD, {});
    assert.deepEqual([type, url, policy.allowPrivate, policy.trusted], ["http", RECORD.baseUrl, false, false]);
    assert.equal(serverConfigOf({ ...RECORD, baseUrl: "WSS://lamps.example" }, {}).type, "websocket");
  });

  it("may be a program, with its arguments and its sealed environment", () => {
    const { type, command, args, env } = serverConfigOf(
      { ...RECORD, baseUrl: undefined, command: "node", args: ["lamps.js"] },
      { env: { TOKEN: "t" } },
    );
    assert.deepEqual([type, command, args, env], ["stdio", "node", ["lamps.js"], { TOKEN: "t" }]);
  });

  it("may be on a private address if whoever registered it might say so", () => {
    assert.equal(serverConfigOf({ ...RECORD, allowPrivate: true }, {}).policy.allowPrivate, true);
  });
});

describe("the credentials of a server", () => {
  it("go into X-API-Key, or into the header that is named", () => {
    assert.deepEqual(headersFor("apikey", { credentials: "k" }), { "x-api-key": "k" });
    assert.deepEqual(headersFor("apikey", { credentials: { header: "X-Token", value: "k" } }), { "x-token": "k" });
  });

  it("are a bearer if they are OAuth's", () => {
    assert.deepEqual(headersFor("oauth", { credentials: { access_token: "t" } }), { authorization: "Bearer t" });
  });

  it("are found under the names that real clients use", () => {
    for (const name of ["value", "apiKey", "key", "token", "accessToken", "access_token"]) {
      assert.deepEqual(headersFor("apikey", { credentials: { [name]: "k" } }), { "x-api-key": "k" }, name);
    }
  });

  it("are not sent where none are wanted, or none can be found", () => {
    assert.deepEqual(headersFor("none", { credentials: "k" }), {});
    for (const credentials of [undefined, null, 7, {}, { value: 7 }, ["k"]]) {
      assert.deepEqual(headersFor("apikey", { credentials: credentials as Sealed["credentials"] }), {});
    }
  });

  it("stand beside the headers that were given, and before them", () => {
    const headers = { "x-api-key": "old", "x-house": "1" };
    assert.deepEqual(headersFor("apikey", { credentials: "k", headers }), { "x-api-key": "k", "x-house": "1" });
  });
});
