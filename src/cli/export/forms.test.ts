/** What of an entry is given away, and what is not. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are what people write in the file
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Variables, withoutSecrets } from "./forms.ts";

const given = (entry: Readonly<Record<string, unknown>>): unknown => withoutSecrets("my-shop", entry, new Variables());

describe("a secret becomes a variable of its server and place", () => {
  const cases: readonly (readonly [string, Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>])[] = [
    [
      "in a header, whose scheme stays",
      { headers: { Authorization: "Bearer abc", "X-Team": "blue", Accept: "text/html" } },
      {
        headers: {
          Authorization: "Bearer ${MY_SHOP_AUTHORIZATION}",
          "X-Team": "${MY_SHOP_X_TEAM}",
          Accept: "text/html",
        },
      },
    ],
    [
      "in the environment, by its name or its look",
      { env: { DB_PASSWORD: "pw", PIN: 1234, ODD: "q1w2e3r4t5y6u7i8o9p0", MODE: "fast", API_KEY: 42 } },
      {
        env: {
          DB_PASSWORD: "${MY_SHOP_DB_PASSWORD}",
          PIN: "${MY_SHOP_PIN}",
          ODD: "${MY_SHOP_ODD}",
          MODE: "fast",
          API_KEY: "${MY_SHOP_API_KEY}",
        },
      },
    ],
    [
      "in a URL of the environment",
      { env: { DATABASE: "postgres://me:pw@db/x", SITE: "https://example.org/?page=2" } },
      { env: { DATABASE: "postgres://${MY_SHOP_DATABASE}@db/x", SITE: "https://example.org/?page=2" } },
    ],
    [
      "in the address",
      { url: "https://me:pw@example.org/mcp?token=abc&page=2" },
      { url: "https://${MY_SHOP_LOGIN}@example.org/mcp?token=${MY_SHOP_TOKEN}&page=2" },
    ],
    [
      "in arguments",
      {
        args: [
          "-y",
          "mcp-remote",
          "https://e.org/mcp?key=k",
          "--header",
          "Authorization: Bearer abc",
          "-e",
          "TOKEN=t",
          "--api-key=k",
          "--password",
          "pw",
          "--verbose",
          "ghp_0123456789abcdef",
          "--token",
          "--last",
        ],
      },
      {
        args: [
          "-y",
          "mcp-remote",
          "https://e.org/mcp?key=${MY_SHOP_KEY}",
          "--header",
          "Authorization: Bearer ${MY_SHOP_AUTHORIZATION}",
          "-e",
          "TOKEN=${MY_SHOP_TOKEN}",
          "--api-key=${MY_SHOP_API_KEY}",
          "--password",
          "${MY_SHOP_PASSWORD}",
          "--verbose",
          "${MY_SHOP_ARG_11}",
          "--token",
          "--last",
        ],
      },
    ],
  ];
  for (const [what, entry, expected] of cases) it(what, () => assert.deepEqual(given(entry), expected));
});

describe("what is no secret stays", () => {
  const entries: readonly Readonly<Record<string, unknown>>[] = [
    { headers: { Authorization: "Bearer ${TOKEN}", "X-Key": "${env:KEY}", "X-Ref": "${REF:-none}" } },
    { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv/shared", "--port=3000"] },
    { url: "https://example.org/mcp", type: "sse", disabled: true, zaguan: { allowPrivate: true } },
    { env: { PATH: "/usr/bin:/bin", FLAG: true } },
  ];
  for (const entry of entries) it(JSON.stringify(entry), () => assert.deepEqual(given(entry), entry));
});

it("two secrets never share a variable", () => {
  const variables = new Variables();
  const headers = { headers: { "X-A": "1", "X.A": "2" } };
  assert.deepEqual(withoutSecrets("s", headers, variables), { headers: { "X-A": "${S_X_A}", "X.A": "${S_X_A_2}" } });
  const twice = { args: ["-e", "TOKEN=1"], env: { TOKEN: "2", MY_TOKEN: "1" } };
  assert.deepEqual(withoutSecrets("t", twice, variables), {
    args: ["-e", "TOKEN=${T_TOKEN_2}"],
    env: { TOKEN: "${T_TOKEN}", MY_TOKEN: "${T_MY_TOKEN}" },
  });
  assert.deepEqual(withoutSecrets("3d", { headers: { K: "v" } }, variables), { headers: { K: "${_3D_K}" } });
});
