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
      "in the environment, whatever is not certainly harmless",
      { env: { DB_PASSWORD: "pw", PIN: 1234, SMTP_LOGIN: "sunshine99", MODE: "fast", X: 482917, API_KEY: 42 } },
      {
        env: {
          DB_PASSWORD: "${MY_SHOP_DB_PASSWORD}",
          PIN: "${MY_SHOP_PIN}",
          SMTP_LOGIN: "${MY_SHOP_SMTP_LOGIN}",
          MODE: "${MY_SHOP_MODE}",
          X: "${MY_SHOP_X}",
          API_KEY: "${MY_SHOP_API_KEY}",
        },
      },
    ],
    [
      "in a URL or a path of the environment, as a whole",
      { env: { DATABASE: "postgres://me:pw@db/x", HOOK: "https://e.org/T0/x9", ODD: "/q1w2e3r4" } },
      { env: { DATABASE: "${MY_SHOP_DATABASE}", HOOK: "${MY_SHOP_HOOK}", ODD: "${MY_SHOP_ODD}" } },
    ],
    [
      "under a harmless name, if it looks like one",
      { env: { LOG_LEVEL: "ghp_0123456789abcdef", TZ: "Europe/Madrid" } },
      { env: { LOG_LEVEL: "${MY_SHOP_LOG_LEVEL}", TZ: "Europe/Madrid" } },
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
    {
      env: {
        PATH: "/usr/bin:/bin",
        HOME: "/home/me",
        FLAG: true,
        DEBUG: "true",
        NODE_ENV: "production",
        LANG: "es_ES.UTF-8",
      },
    },
    { env: { PORT: 3000, RETRIES: "5", MODE: "debug", EMPTY: "", DSN: "${env:DSN}" } },
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
