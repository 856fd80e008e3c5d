import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Redaction } from "../../security/redaction.ts";
import { secretsOf } from "../../sources/api/auth.ts";
import { divide, headerNamesOf, optionsOf, PLACEHOLDER, whichSecrets } from "./connection.ts";
import type { ConnectionInput, ConnectionSecrets, DynamicAuthDescription, OpenConnection } from "./types.ts";

const KEYED = { authenticationType: "API_KEY", apiKeyLocation: "HEADER", apiKeyName: "X-Llave" } as const;
const OAUTH = {
  authenticationType: "OAUTH2",
  oauth2: { tokenUrl: "https://auth.example.org/token", clientId: "z", scopes: ["a"], sendAs: "body" },
} as const;
const LOGIN: DynamicAuthDescription = {
  url: "https://auth.example.org/login",
  method: "POST",
  payloadType: "FORM_DATA",
  payloadLocation: "BODY",
  tokenPath: "data.token",
  invalidationKeywords: ["gone"],
};
const DYNAMIC = { authenticationType: "BEARER_TOKEN", dynamicAuth: LOGIN } as const;

describe("divide", () => {
  it("keeps what is open apart from what is secret", () => {
    const given = input({ ...KEYED, apiKeyValue: "k", customHeaders: { "X-A": "1" } });
    const { open, secrets } = divide(given);
    assert.deepEqual(open, openPart(KEYED));
    assert.deepEqual(secrets, { apiKeyValue: "k", customHeaders: { "X-A": "1" } });
  });

  it("keeps secrets that are not said, for the same origin", () => {
    const before = divide(input({ ...KEYED, apiKeyValue: "k", customHeaders: { "X-A": "1" } }));
    for (const apiKeyValue of [undefined, "", PLACEHOLDER]) {
      const again = divide(input({ ...KEYED, apiKeyValue, baseUrl: "https://api.example.org/v2" }), before);
      assert.deepEqual(again.secrets, before.secrets);
    }
    assert.equal(divide(input({ ...KEYED, apiKeyValue: "new" }), before).secrets.apiKeyValue, "new");
  });

  it("is the same again where nothing has changed, as it is written down", () => {
    for (const more of [{ ...KEYED, apiKeyValue: "k" }, OAUTH, DYNAMIC, {}, { customHeaders: {} }]) {
      const before = divide(input(more));
      assert.deepStrictEqual(divide(input({ ...more, apiKeyValue: undefined }), before), before);
      assert.deepStrictEqual(JSON.parse(JSON.stringify(before)), before);
    }
  });

  it("takes none along to another origin", () => {
    const before = divide(input({ ...KEYED, apiKeyValue: "k", customHeaders: { "X-A": "1" } }));
    for (const baseUrl of ["https://evil.example", "http://api.example.org", "https://api.example.org:8443"]) {
      const customHeaders = { "X-A": PLACEHOLDER };
      assert.deepEqual(divide(input({ ...KEYED, baseUrl }), before).secrets, {});
      assert.deepEqual(divide(input({ ...KEYED, baseUrl, customHeaders }), before).secrets, {});
    }
  });

  it("takes none along to another giver of tokens", () => {
    const client = divide(input({ ...OAUTH, clientSecret: "s" }));
    const moved = { ...OAUTH, oauth2: { ...OAUTH.oauth2, tokenUrl: "https://evil.example/token" } };
    assert.deepEqual(client.secrets, { clientSecret: "s" });
    assert.deepEqual(divide(input(OAUTH), client).secrets, { clientSecret: "s" });
    assert.deepEqual(divide(input(moved), client).secrets, {});
    const login = divide(input({ ...DYNAMIC, dynamicAuthPayload: '{"p":"s"}' }));
    const other = { ...DYNAMIC, dynamicAuth: { ...LOGIN, url: "https://evil.example/login" } };
    assert.deepEqual(divide(input(DYNAMIC), login).secrets, { dynamicAuthPayload: '{"p":"s"}' });
    assert.deepEqual(divide(input(other), login).secrets, {});
  });

  it("takes none along to a giver of tokens where there was none, nor away from one that is no more", () => {
    const client = { ...divide(input({ ...OAUTH, oauth2: undefined })), secrets: { clientSecret: "s" } };
    assert.deepEqual(divide(input(OAUTH), client).secrets, {});
    const login = { ...divide(input({ authenticationType: "BEARER_TOKEN" })), secrets: { dynamicAuthPayload: "p" } };
    assert.deepEqual(divide(input(DYNAMIC), login).secrets, {});
    const before = divide(input({ ...OAUTH, clientSecret: "s" }));
    assert.deepEqual(divide(input({ ...OAUTH, oauth2: undefined }), before).secrets, {});
  });

  it("forgets what this kind of authentication does not use", () => {
    const before = divide(input({ ...KEYED, apiKeyValue: "k" }));
    assert.deepEqual(divide(input({}), before).secrets, {});
    assert.deepEqual(divide(input({ apiKeyValue: "k" })).secrets, {});
    assert.deepEqual(divide(input({ ...DYNAMIC, apiKeyValue: "k", clientSecret: "s" })).secrets, {});
    assert.deepEqual(divide(input({ authenticationType: "BEARER_TOKEN" }), before).secrets, { apiKeyValue: "k" });
  });

  it("replaces custom headers, but for values that are not said", () => {
    const before = divide(input({ customHeaders: { "X-A": "1", "X-B": "2" } }));
    const cases: readonly (readonly [Record<string, string> | undefined, Record<string, string> | undefined])[] = [
      [undefined, { "X-A": "1", "X-B": "2" }],
      [{}, undefined],
      [{ "X-B": "3" }, { "X-B": "3" }],
      [
        { "X-A": PLACEHOLDER, "x-b": "" },
        { "X-A": "1", "x-b": "2" },
      ],
      [{ "X-C": PLACEHOLDER }, undefined],
    ];
    for (const [customHeaders, expected] of cases) {
      assert.deepEqual(divide(input({ customHeaders }), before).secrets.customHeaders, expected);
    }
  });
});

describe("optionsOf", () => {
  const usual = (more: Partial<OpenConnection>, secrets: ConnectionSecrets): unknown =>
    optionsOf(openPart(more), secrets).auths[""];

  it("has the key where it belongs", () => {
    const at = (more: Partial<OpenConnection>): unknown => usual({ ...KEYED, ...more }, { apiKeyValue: "k" });
    assert.deepEqual(at({}), { type: "apiKey", in: "header", name: "X-Llave", value: "k" });
    assert.deepEqual(at({ apiKeyName: null }), { type: "apiKey", in: "header", name: "X-API-Key", value: "k" });
    const query = { type: "apiKey", in: "query", name: "X-Llave", value: "k" };
    assert.deepEqual(at({ apiKeyLocation: "QUERY_PARAMETER" }), query);
    assert.deepEqual(at({ apiKeyLocation: "IN_BODY" }), { ...query, in: "body" });
  });

  it("has bearers and pairs as they are stored", () => {
    const of = (authenticationType: OpenConnection["authenticationType"], apiKeyValue: string): unknown =>
      usual({ authenticationType }, { apiKeyValue });
    assert.deepEqual(of("BEARER_TOKEN", "t"), { type: "bearer", token: "t" });
    assert.deepEqual(of("BASIC_AUTH", "YW5hOmNsYXZl"), { type: "basicRaw", value: "YW5hOmNsYXZl" });
    assert.deepEqual(of("BASIC_AUTH", "ana:cla:ve"), { type: "basic", username: "ana", password: "cla:ve" });
  });

  it("has OAuth's client", () => {
    const expected = { type: "oauth2", ...OAUTH.oauth2, clientSecret: "s" };
    assert.deepEqual(usual(OAUTH, { clientSecret: "s" }), expected);
  });

  it("has the request for a token, and where the token goes", () => {
    const payload = '{"password":"p"}';
    const expected = {
      type: "tokenRequest",
      url: LOGIN.url,
      method: "POST",
      payloadType: "form",
      payloadIn: "body",
      payload,
      tokenPath: "data.token",
      invalidation: ["gone"],
      header: "authorization",
      prefix: "Bearer ",
    };
    const secrets = { dynamicAuthPayload: payload };
    assert.deepEqual(usual(DYNAMIC, secrets), expected);
    assert.deepEqual(usual({ ...DYNAMIC, ...KEYED }, secrets), { ...expected, header: "x-llave", prefix: "" });
    assert.deepEqual(usual({ ...DYNAMIC, authenticationType: "BASIC_AUTH" }, secrets), {
      ...expected,
      prefix: "Basic ",
    });
    assert.deepEqual(usual(DYNAMIC, {}), { ...expected, payload: "{}" });
  });

  it("sends nothing where nothing was given, or NONE was said", () => {
    for (const more of [KEYED, OAUTH, { authenticationType: "BEARER_TOKEN" } as const]) {
      assert.deepEqual(optionsOf(openPart(more), {}), { baseUrl: "https://api.example.org", auths: {}, headers: {} });
    }
    assert.equal(usual({}, { apiKeyValue: "k" }), undefined);
    assert.equal(usual({ ...DYNAMIC, authenticationType: "NONE" }, {}), undefined);
  });

  it("has the custom headers, whose values no answer tells again", () => {
    const customHeaders = { "X-Propia": "secreto-propio", Accept: "application/json", "X-Api-Version": "2024-01" };
    const options = optionsOf(openPart({}), { customHeaders });
    assert.deepEqual(options.headers, customHeaders);
    assert.equal(options.auths[""], undefined);
    const said = '{"x-propia":"secreto-propio","accept":"application/json","version":"2024-01"}';
    const clean = new Redaction(secretsOf(options)).text(said);
    assert.equal(clean, said.replace("secreto-propio", "[redacted]"));
  });
});

describe("what is told of secrets", () => {
  it("is which there are, and the names of headers", () => {
    const secrets = { apiKeyValue: "k", customHeaders: { "X-A": "1" } };
    const none = { apiKeyValue: false, customHeaders: false, clientSecret: false, dynamicAuthPayload: false };
    assert.deepEqual(whichSecrets(secrets), { ...none, apiKeyValue: true, customHeaders: true });
    assert.deepEqual(whichSecrets({}), none);
    assert.deepEqual([headerNamesOf(secrets), headerNamesOf({})], [["X-A"], []]);
  });
});

function openPart(more: Partial<OpenConnection>): OpenConnection {
  return {
    baseUrl: "https://api.example.org",
    authenticationType: "NONE",
    apiKeyLocation: "NONE",
    apiKeyName: null,
    oauth2: null,
    dynamicAuth: null,
    ...more,
  };
}

function input(more: Partial<ConnectionInput>): ConnectionInput {
  return { ...openPart({}), ...more };
}
