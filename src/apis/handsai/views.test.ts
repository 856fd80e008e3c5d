import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type DividedConnection, divide, headerNamesOf, PLACEHOLDER, plainAmong, whichSecrets } from "./connection.ts";
import { NEW_TOOL, PROVIDER_VIEW, PROVIDERS, TOOL_VIEW } from "./schemas.ts";
import type { ConnectionInput, KeptProvider, KeptTool, ToolDescription } from "./types.ts";
import { providerView, toolView } from "./views.ts";

const SECRET = "secreto-que-nadie-ve";

const TOOL: ToolDescription = {
  name: "Clima",
  code: "clima",
  enabled: false,
  description: "El tiempo",
  httpMethod: "POST",
  endpointPath: "/v1/{city}?lang=es",
  bodyPayloadTemplate: '{"q":"{{q}}"}',
  parameters: [
    { name: "city", type: "STRING", description: "Ciudad", required: true, defaultValue: "" },
    { name: "q", type: "NUMBER", description: "", required: false, defaultValue: "3" },
    { name: "r", type: "ARRAY", description: "", required: false, defaultValue: null },
  ],
};

const PLAIN: ConnectionInput = {
  baseUrl: "https://api.example.org/v1",
  authenticationType: "NONE",
  apiKeyLocation: "NONE",
  apiKeyName: null,
  oauth2: null,
  dynamicAuth: null,
};

const CONNECTIONS: Readonly<Record<string, ConnectionInput>> = {
  none: PLAIN,
  "a key in the query": {
    ...PLAIN,
    authenticationType: "API_KEY",
    apiKeyLocation: "QUERY_PARAMETER",
    apiKeyName: "key",
    apiKeyValue: SECRET,
  },
  "a basic pair": { ...PLAIN, authenticationType: "BASIC_AUTH", apiKeyValue: `ana:${SECRET}` },
  "custom headers": { ...PLAIN, customHeaders: { "X-A": SECRET, Accept: "text/plain" } },
  "OAuth's client": {
    ...PLAIN,
    authenticationType: "OAUTH2",
    clientSecret: SECRET,
    oauth2: { tokenUrl: "https://auth.example.org/t?a=b", clientId: "z", scopes: ["a", "b"], sendAs: "body" },
  },
  "a token that is fetched": {
    ...PLAIN,
    authenticationType: "BEARER_TOKEN",
    apiKeyLocation: "HEADER",
    dynamicAuthPayload: `{"p":"${SECRET}"}`,
    dynamicAuth: {
      url: "https://auth.example.org/login",
      method: "PUT",
      payloadType: "FORM_DATA",
      payloadLocation: "QUERY_PARAMETERS",
      tokenPath: "data.token",
      invalidationKeywords: ["gone", "expired"],
    },
  },
};

for (const [what, input] of Object.entries(CONNECTIONS)) {
  describe(`with ${what}`, () => {
    const before = divide(input);

    it("a tool is told without its secrets, and is the same when it comes back", () => {
      const view = toolView(kept(before));
      assert.ok(!JSON.stringify(view).includes(SECRET));
      assert.deepEqual(TOOL_VIEW.parse(view), view);
      const again = NEW_TOOL.parse(JSON.parse(JSON.stringify(view)));
      for (const [field, value] of Object.entries(TOOL)) assert.deepEqual(again[field as keyof ToolDescription], value);
      assert.deepStrictEqual(divide(again, before), before);
    });

    it("a provider is told with placeholders, and is the same when it comes back", () => {
      const view = providerView(provider(before));
      assert.ok(!JSON.stringify(view).includes(SECRET));
      assert.deepEqual(PROVIDER_VIEW.parse(view), view);
      const [again] = PROVIDERS.parse(JSON.parse(JSON.stringify([view])));
      assert.deepEqual([again?.name, again?.code, again?.tools], ["El tiempo", "tiempo", [TOOL]]);
      assert.deepStrictEqual(again && divide(again, before), before);
    });

    it("an export that somebody else imports has no secrets, and is the same export", () => {
      const view = providerView(provider(before));
      const [given] = PROVIDERS.parse([view]);
      const elsewhere = divide(given ?? assert.fail());
      const plain = plainAmong(before.secrets.customHeaders ?? {});
      assert.deepEqual(elsewhere.secrets, Object.keys(plain).length > 0 ? { customHeaders: plain } : {});
      assert.deepEqual(withoutSecrets(providerView(provider(elsewhere))), withoutSecrets(view));
    });
  });
}

describe("the view of a tool", () => {
  it("has the real system's fields", () => {
    assert.deepEqual(toolView(kept(divide(PLAIN))), {
      id: "7",
      ...TOOL,
      isExportable: true,
      baseUrl: PLAIN.baseUrl,
      authenticationType: "NONE",
      apiKeyLocation: "NONE",
      apiKeyName: null,
      healthy: true,
      lastHealthCheck: null,
      createdAt: "2025-01-01T00:00:00Z",
      updatedAt: "2025-01-02T00:00:00Z",
    });
  });

  it("says whose it is, and what the last check found", () => {
    const mine = { provider: { code: "p", name: "P" }, healthy: false, lastHealthCheckUtc: "2025-01-03T00:00:00Z" };
    const view = toolView({ ...kept(divide(PLAIN)), ...mine }) as Record<string, unknown>;
    const { provider: whose, healthy, lastHealthCheck } = view;
    assert.deepEqual([whose, healthy, lastHealthCheck], [{ code: "p", name: "P" }, false, mine.lastHealthCheckUtc]);
    assert.equal(NEW_TOOL.safeParse(view).success, true);
  });

  it("has the headers that are no secrets as they are, and placeholders for the others", () => {
    const view = toolView(kept(divide(CONNECTIONS["custom headers"] ?? assert.fail()))) as Record<string, unknown>;
    assert.deepEqual(view["customHeaders"], { "X-A": PLACEHOLDER, Accept: "text/plain" });
  });
});

describe("the view of a provider", () => {
  it("has no placeholder for a client's secret that was never given", () => {
    const { clientSecret: _, ...input } = CONNECTIONS["OAuth's client"] ?? assert.fail();
    const { oauth2 } = providerView(provider(divide(input))) as { readonly oauth2: object };
    assert.deepEqual(oauth2, input.oauth2);
  });

  it("has a placeholder for a key that there is, and null where there is none", () => {
    const told = (input: ConnectionInput | undefined): unknown =>
      (providerView(provider(divide(input ?? assert.fail()))) as Record<string, unknown>)["apiKeyValue"];
    assert.deepEqual([told(CONNECTIONS["a key in the query"]), told(PLAIN)], [PLACEHOLDER, null]);
  });
});

function kept({ open, secrets }: DividedConnection): KeptTool {
  return {
    ...TOOL,
    id: "7",
    connection: open,
    headerNames: headerNamesOf(secrets),
    provider: undefined,
    plainHeaders: plainAmong(secrets.customHeaders ?? {}),
    healthy: undefined,
    lastHealthCheckUtc: undefined,
    createdUtc: "2025-01-01T00:00:00Z",
    updatedUtc: "2025-01-02T00:00:00Z",
  };
}

function provider({ open, secrets }: DividedConnection): KeptProvider {
  const plainHeaders = plainAmong(secrets.customHeaders ?? {});
  const told = { has: whichSecrets(secrets), headerNames: headerNamesOf(secrets), plainHeaders };
  return { code: "tiempo", name: "El tiempo", connection: open, ...told, tools: [TOOL] };
}

function withoutSecrets(view: object): object {
  const { apiKeyValue: _, customHeaders: __, dynamicAuthPayload: ___, ...told } = view as Record<string, unknown>;
  const { clientSecret: ____, ...oauth2 } = (told["oauth2"] ?? {}) as Record<string, unknown>;
  return { ...told, oauth2 };
}
