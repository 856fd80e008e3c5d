import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checked } from "../../doors/rest/checked.ts";
import { NamedSchemas } from "../../doors/rest/openapi.ts";
import type { ZaguanError } from "../../errors.ts";
import { PLACEHOLDER } from "./connection.ts";
import { NEW_TOOL, PROVIDER_VIEW, PROVIDERS, TOOL_VIEW } from "./schemas.ts";
import type { ProviderInput, ToolInput } from "./types.ts";

const INJECTED = "x\r\nX-Injected: 1";
const KEY = "secreto-de-la-llave";
const KEYED = { authenticationType: "API_KEY", apiKeyLocation: "HEADER", apiKeyName: "X-Llave", apiKeyValue: KEY };

describe("a tool that is described", () => {
  it("is what the real system takes, with every field in its place", () => {
    const { parameters, ...tool } = described();
    assert.deepEqual(tool, {
      name: "Clima",
      code: "clima",
      enabled: true,
      description: "El tiempo",
      endpointPath: "/v1/current.json",
      httpMethod: "GET",
      bodyPayloadTemplate: null,
      baseUrl: "https://api.weatherapi.com",
      authenticationType: "NONE",
      apiKeyLocation: "NONE",
      apiKeyName: null,
      oauth2: null,
      dynamicAuth: null,
    });
    assert.deepEqual(parameters, [
      { name: "q", type: "STRING", description: "Ciudad", required: true, defaultValue: "" },
    ]);
  });

  it("needs little", () => {
    const { name, code, baseUrl, endpointPath, httpMethod } = body();
    const { enabled, description, parameters, authenticationType } = told({
      name,
      code,
      baseUrl,
      endpointPath,
      httpMethod,
    });
    assert.deepEqual([enabled, description, parameters, authenticationType], [true, "", [], "NONE"]);
  });

  it("takes null for what is not said", () => {
    const names = ["enabled", "description", "authenticationType", "apiKeyLocation", "apiKeyValue", "customHeaders"];
    const nothing = Object.fromEntries([...names, "oauth2", "isDynamicAuth", "parameters"].map((name) => [name, null]));
    assert.deepEqual(told({ ...body(), ...nothing }), { ...described({ parameters: [] }), description: "" });
  });

  it("has the key in a header where nobody says where", () => {
    assert.equal(described({ authenticationType: "API_KEY", apiKeyLocation: null }).apiKeyLocation, "HEADER");
  });

  it("may have defaults that are no texts yet", () => {
    const parameters = [
      { name: "a", type: "NUMBER", defaultValue: 3 },
      { name: "b", type: "BOOLEAN", defaultValue: false },
      { name: "c", type: "ARRAY", defaultValue: "[1]" },
    ];
    assert.deepEqual(
      described({ parameters }).parameters.map(({ defaultValue }) => defaultValue),
      ["3", "false", "[1]"],
    );
  });

  it("passes over what an answer has more", () => {
    const more = {
      id: "x",
      healthy: true,
      lastHealthCheck: null,
      createdAt: "t",
      updatedAt: "t",
      provider: { code: "p" },
    };
    const [parameter] = body().parameters;
    const parameters = [{ ...parameter, id: 1, code: "u", enabled: true, createdAt: "t", updatedAt: "t" }];
    assert.deepEqual(described({ ...more, parameters }), described());
  });
});

describe("secrets", () => {
  it("are not said where there is nothing, a blank or a placeholder", () => {
    for (const nothing of [undefined, null, "", " ", PLACEHOLDER, `Bearer ${PLACEHOLDER}`]) {
      const oauth2 = { tokenUrl: "https://a.example/token", clientId: "c", clientSecret: nothing };
      const tool = described({ ...KEYED, apiKeyValue: nothing });
      const client = described({ authenticationType: "OAUTH2", oauth2 });
      assert.ok(!("apiKeyValue" in tool) && !("clientSecret" in client), String(nothing));
    }
  });

  it("stand apart from what may be told", () => {
    const oauth2 = {
      tokenUrl: "https://a.example/token",
      clientId: "c",
      clientSecret: KEY,
      scopes: ["a"],
      sendAs: "body",
    };
    const { clientSecret, oauth2: client } = described({ authenticationType: "OAUTH2", oauth2 });
    const { clientSecret: _, ...open } = oauth2;
    assert.deepEqual([clientSecret, client], [KEY, open]);
  });

  it("may be headers, as an object or as its text", () => {
    const headers = { "X-A": "1", Accept: "application/vnd.x+json" };
    for (const customHeaders of [headers, JSON.stringify(headers)]) {
      assert.deepEqual(described({ customHeaders }).customHeaders, headers);
    }
    assert.deepEqual(described({ customHeaders: {} }).customHeaders, {});
    const text = JSON.stringify({ "X-A": PLACEHOLDER });
    assert.deepEqual(described({ customHeaders: text }).customHeaders, { "X-A": PLACEHOLDER });
    assert.deepEqual(described({ customHeaders: { "X-A": null } }).customHeaders, { "X-A": "" });
    for (const customHeaders of [null, "", "null", PLACEHOLDER, undefined])
      assert.ok(!("customHeaders" in described({ customHeaders })));
  });
});

describe("what is refused in a tool, by the name of its field", () => {
  const q = { name: "q", type: "STRING", description: "", required: false, defaultValue: "" };
  const oauth2 = { tokenUrl: "https://a.example/token", clientId: "c", clientSecret: KEY };
  const dynamic = { authenticationType: "BEARER_TOKEN", isDynamicAuth: true, dynamicAuthUrl: "https://a.example/t" };
  for (const [what, fields, field] of [
    ["no base URL", { baseUrl: undefined }, "baseUrl"],
    ["a base URL that is none", { baseUrl: "api.weatherapi.com" }, "baseUrl"],
    ["a file", { baseUrl: "file:///etc/passwd" }, "baseUrl"],
    ["a base URL with a password", { baseUrl: "https://user:pass@api.example.org" }, "baseUrl"],
    ["a base URL with a user", { baseUrl: "https://user@api.example.org" }, "baseUrl"],
    ["a base URL with a query", { baseUrl: "https://api.example.org?key=1" }, "baseUrl"],
    ["a base URL with a space", { baseUrl: "https://api.example.org/a b" }, "baseUrl"],
    ["no name", { name: "" }, "name"],
    ["no code", { code: undefined }, "code"],
    ["an empty code", { code: "" }, "code"],
    ["a code with a slash", { code: "a/b" }, "code"],
    ["a code with a line end", { code: "a\nb" }, "code"],
    ["the house's name", { code: "house" }, "code"],
    ["a code that looks like two", { code: "a__b" }, "code"],
    ["a path that is another address", { endpointPath: "https://evil.example/x" }, "endpointPath"],
    ["a path that is another host", { endpointPath: "//evil.example/x" }, "endpointPath"],
    ["a path that climbs out", { endpointPath: "/v1/../../admin" }, "endpointPath"],
    ["an unknown method", { httpMethod: "FETCH" }, "httpMethod"],
    ["no method", { httpMethod: null }, "httpMethod"],
    ["an unknown kind of authentication", { authenticationType: "MAGIC" }, "authenticationType"],
    ["an unknown place for the key", { ...KEYED, apiKeyLocation: "FOOT" }, "apiKeyLocation"],
    ["a key without a place", { ...KEYED, apiKeyLocation: "NONE" }, "apiKeyLocation"],
    [
      "a key in the query without a name",
      { ...KEYED, apiKeyLocation: "QUERY_PARAMETER", apiKeyName: "" },
      "apiKeyName",
    ],
    ["parameters that are no list", { parameters: { q: "STRING" } }, "parameters"],
    ["a parameter of an unknown type", { parameters: [{ ...q, type: "DATE" }] }, "parameters[0].type"],
    ["a parameter without a name", { parameters: [{ ...q, name: "" }] }, "parameters[0].name"],
    ["two parameters of one name", { parameters: [q, q] }, "parameters[1].name"],
    ["a parameter with more", { parameters: [{ ...q, place: "path" }] }, "parameters[0].place"],
    [
      "a default that is no number",
      { parameters: [{ ...q, type: "NUMBER", defaultValue: "tres" }] },
      "parameters[0].defaultValue",
    ],
    [
      "a default that is no list",
      { parameters: [{ ...q, type: "ARRAY", defaultValue: "a,b" }] },
      "parameters[0].defaultValue",
    ],
    ["the name of the key's header", { ...KEYED, apiKeyName: INJECTED }, "apiKeyName"],
    ["a name that is no header's", { ...KEYED, apiKeyName: "X Llave:" }, "apiKeyName"],
    ["the name of a header that is ours to send", { ...KEYED, apiKeyName: "Host" }, "apiKeyName"],
    ["a key of two lines", { ...KEYED, apiKeyValue: INJECTED }, "apiKeyValue"],
    ["a key that no header can have", { ...KEYED, apiKeyValue: `${KEY}北京` }, "apiKeyValue"],
    ["a bearer token of two lines", { authenticationType: "BEARER_TOKEN", apiKeyValue: INJECTED }, "apiKeyValue"],
    ["a basic pair of two lines", { authenticationType: "BASIC_AUTH", apiKeyValue: INJECTED }, "apiKeyValue"],
    ["the value of a custom header", { customHeaders: { "X-A": INJECTED } }, "customHeaders"],
    ["the name of a custom header", { customHeaders: { "X-A\r\nX-B": "1" } }, "customHeaders"],
    ["a header that frames the message", { customHeaders: { "Transfer-Encoding": "chunked" } }, "customHeaders"],
    ["the same in a text", { customHeaders: '{"content-length":"0"}' }, "customHeaders"],
    ["a header twice", { customHeaders: { "X-A": "1", "x-a": "2" } }, "customHeaders"],
    ["headers that are a number", { customHeaders: '{"X-A":7}' }, "customHeaders"],
    ["headers that are no object", { customHeaders: "X-A: 1" }, "customHeaders"],
    ["OAuth without a client", { authenticationType: "OAUTH2" }, "oauth2"],
    [
      "OAuth at a file",
      { authenticationType: "OAUTH2", oauth2: { ...oauth2, tokenUrl: "file:///x" } },
      "oauth2.tokenUrl",
    ],
    ["OAuth with more", { authenticationType: "OAUTH2", oauth2: { ...oauth2, secret: KEY } }, "oauth2.secret"],
    ["a token from nowhere", { ...dynamic, dynamicAuthUrl: "" }, "dynamicAuthUrl"],
    ["a token from no address", { ...dynamic, dynamicAuthUrl: "login" }, "dynamicAuthUrl"],
    ["a token for something that is no object", { ...dynamic, dynamicAuthPayload: `["${KEY}"]` }, "dynamicAuthPayload"],
    [
      "a token that goes into the query",
      { ...KEYED, ...dynamic, authenticationType: "API_KEY", apiKeyLocation: "QUERY_PARAMETER" },
      "apiKeyLocation",
    ],
    ["a member that nobody knows", { endpoint: "/x" }, "endpoint"],
  ] as const) {
    it(what, () => {
      const { errors, text } = refusal(() => checked(NEW_TOOL, { ...body(), ...fields }, "en"));
      assert.deepEqual(errors, [field], text);
      assert.ok(!text.includes(KEY) && !text.includes("Injected"), text);
    });
  }

  it("what is no object", () => {
    for (const value of [[], "a", null, 7]) assert.throws(() => checked(NEW_TOOL, value, "en"));
  });

  it("guesses which member was meant", () => {
    assert.match(refusal(() => checked(NEW_TOOL, { ...body(), endpontPath: "/x" }, "en")).text, /endpointPath/);
  });
});

describe("providers", () => {
  it("become connections with tools, whatever else an export has in it", () => {
    const [given] = imported([{ ...provider(), secondaryApiKeyName: null, isExportable: true }]);
    assert.deepEqual(
      [given?.code, given?.apiKeyValue, given?.tools.map(({ code }) => code), given?.dynamicAuth],
      ["weather", KEY, ["clima", "get__pronostico"], null],
    );
  });

  it("keep the parameters of other versions readable", () => {
    const parameters = [
      { name: "q", type: "STRING", description: null, required: null, defaultValue: null, location: "x" },
    ];
    const [given] = imported([provider({ tools: [{ ...tool("a"), parameters, tags: [] }] })]);
    assert.deepEqual(given?.tools[0]?.parameters, [
      { name: "q", type: "STRING", description: "", required: false, defaultValue: null },
    ]);
  });

  it("may fetch a token first, whose payload is a secret", () => {
    const payload = JSON.stringify({ client_secret: KEY });
    const [given] = imported([
      provider({
        authenticationType: "BEARER_TOKEN",
        isDynamicAuth: true,
        dynamicAuthUrl: "https://a.example/token?x=1",
        dynamicAuthMethod: "POST",
        dynamicAuthPayloadType: "FORM_DATA",
        dynamicAuthPayloadLocation: "BODY",
        dynamicAuthPayload: payload,
        dynamicAuthTokenExtractionPath: "data.access_token",
        dynamicAuthInvalidationKeywords: "invalid_token, gone,",
      }),
    ]);
    assert.equal(given?.dynamicAuthPayload, payload);
    assert.deepEqual(given?.dynamicAuth, {
      url: "https://a.example/token?x=1",
      method: "POST",
      payloadType: "FORM_DATA",
      payloadLocation: "BODY",
      tokenPath: "data.access_token",
      invalidationKeywords: ["invalid_token", "gone"],
    });
  });

  it("have the real system's usual where nothing is said of how to fetch it", () => {
    const dynamicAuthPayload = { user: "ana", password: KEY };
    const fields = { isDynamicAuth: true, dynamicAuthUrl: "https://a.example/t", dynamicAuthPayload };
    const [given] = imported([provider({ ...fields, apiKeyLocation: "HEADER", dynamicAuthInvalidationKeywords: "" })]);
    assert.equal(given?.dynamicAuthPayload, JSON.stringify(dynamicAuthPayload));
    assert.deepEqual(given?.dynamicAuth, {
      url: "https://a.example/t",
      method: "POST",
      payloadType: "JSON",
      payloadLocation: "BODY",
      tokenPath: "",
      invalidationKeywords: ["invalid_token", "token_expired", "unauthorized", "expired_token"],
    });
  });

  it("do not need the fields of a token that nobody fetches", () => {
    const [given] = imported([provider({ isDynamicAuth: false, dynamicAuthUrl: "", dynamicAuthPayload: "" })]);
    assert.ok(given && given.dynamicAuth === null && !("dynamicAuthPayload" in given));
  });

  for (const [what, providers, field] of [
    [
      "an address as a path",
      [provider({ tools: [tool("a"), tool("b", { endpointPath: "https://evil.example/" })] })],
      "[0].tools[1].endpointPath",
    ],
    ["a tool with a slash in its code", [provider({ tools: [tool("a/b")] })], "[0].tools[0].code"],
    ["a code of the house", [provider({ code: "house" })], "[0].code"],
    ["a provider twice", [provider(), provider({ code: "Weather", tools: [] })], "[1].code"],
    ["a tool twice", [provider(), provider({ code: "other", tools: [tool("Clima")] })], "[1].tools[0].code"],
    ["a place that nobody knows", [provider({ apiKeyLocation: "FOOT" })], "[0].apiKeyLocation"],
    ["no object", [7], "[0]"],
  ] as const) {
    it(`are refused: ${what}`, () => {
      const { errors, text } = refusal(() => checked(PROVIDERS, providers, "en"));
      assert.deepEqual(errors, [field], text);
      assert.ok(!text.includes(KEY), text);
    });
  }

  it("are a list", () => {
    for (const value of [{}, "x", null]) assert.throws(() => checked(PROVIDERS, value, "en"));
    assert.deepEqual(imported([]), []);
  });
});

describe("OpenAPI", () => {
  it("shows all of them, what is taken apart from what is answered", () => {
    const schemas = new NamedSchemas();
    for (const view of [TOOL_VIEW, PROVIDER_VIEW]) schemas.output(view);
    for (const given of [NEW_TOOL, PROVIDERS]) schemas.input(given);
    const all = schemas.all();
    assert.deepEqual(Object.keys(all), ["ApiProvider", "ApiTool", "NewApiProvider", "NewApiTool"]);
    const { required, properties } = all["NewApiTool"] as { required: string[]; properties: Record<string, object> };
    assert.deepEqual(required.sort(), ["baseUrl", "code", "endpointPath", "httpMethod", "name"]);
    assert.deepEqual(properties["id"], { readOnly: true });
  });
});

function body() {
  const parameters = [{ name: "q", type: "STRING", description: "Ciudad", required: true, defaultValue: "" }];
  return {
    name: "Clima",
    code: "clima",
    enabled: true,
    description: "El tiempo",
    baseUrl: "https://api.weatherapi.com",
    endpointPath: "/v1/current.json",
    httpMethod: "GET",
    authenticationType: "NONE",
    apiKeyLocation: "NONE",
    apiKeyName: null,
    apiKeyValue: null,
    parameters,
  };
}

function described(more: object = {}): ToolInput {
  return told({ ...body(), ...more });
}

function told(value: unknown): ToolInput {
  return checked(NEW_TOOL, value, "en");
}

function tool(code: string, more: object = {}): object {
  const { name, description, endpointPath, httpMethod, parameters } = body();
  return { name, code, description, endpointPath, httpMethod, parameters, ...more };
}

function provider(more: object = {}): object {
  return {
    name: "Weather API",
    code: "weather",
    baseUrl: "https://api.weatherapi.com",
    authenticationType: "API_KEY",
    apiKeyLocation: "QUERY_PARAMETER",
    apiKeyName: "key",
    apiKeyValue: KEY,
    tools: [tool("clima"), tool("get__pronostico")],
    ...more,
  };
}

function imported(value: unknown): readonly ProviderInput[] {
  return checked(PROVIDERS, value, "en");
}

/** The fields that are named, and everything that is said. */
function refusal(check: () => unknown): { readonly errors: string[]; readonly text: string } {
  try {
    check();
  } catch (error) {
    const { details } = error as ZaguanError;
    const errors = (details.data?.["errors"] ?? []) as { readonly field: string }[];
    return { errors: errors.map(({ field }) => field), text: JSON.stringify(details) };
  }
  return assert.fail("it passed");
}
