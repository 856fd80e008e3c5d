/** Which secrets are found in what is said of a server, each by itself. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are what people write in the file
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Entry, maskedAddress, maskedArguments, secretsIn } from "./entry-secrets.ts";

const HUSH = "hUsh-9x8y7z6w";

describe("what a server must not tell again", () => {
  const cases: readonly (readonly [string, Entry])[] = [
    ["a header without its scheme", { headers: { Authorization: `Bearer ${HUSH}` } }],
    ["the password of Basic", { headers: { Authorization: `Basic ${Buffer.from(`me:${HUSH}`).toString("base64")}` } }],
    ["a header of any name", { headers: { "X-Team": HUSH } }],
    ["a header that sounds harmless", { headers: { "X-Tenant": HUSH } }],
    ["one of several cookies", { headers: { Cookie: `theme=dark; sid=${HUSH}` } }],
    ["a variable", { env: { DB_PASSWORD: HUSH } }],
    ["the password of a URL in the environment", { env: { DB: `postgres://me:${encodeURIComponent(HUSH)}@db/x` } }],
    ["a header in JSON in the environment", { env: { HEADERS: `{"Authorization":"Bearer ${HUSH}"}` } }],
    ["a header in the environment", { env: { EXTRA: `X-Api-Key: ${HUSH}` } }],
    ["a pair among others in the environment", { env: { DB_DSN: `host=db user=me password=${HUSH} port=5432` } }],
    ["a pair with `;` in the environment", { env: { DB: `Server=db;User Id=me;Password=${HUSH};Timeout=30` } }],
    ["a pair behind a comma", { env: { CACHE: `cache.example:6380,password=${HUSH},ssl=True` } }],
    ["a quoted value among pairs", { env: { DB_DSN: `host=db password='${HUSH}' user=me` } }],
    ["a line of many", { env: { SETTINGS: `user: me\npassword: ${HUSH}\nport: 1` } }],
    ["a member of JSON in the environment", { env: { CONFIG: `{"db":{"host":"db","api_key":"${HUSH}"}}` } }],
    ["one of a list in JSON", { env: { CONFIG: `{"passwords":["x","${HUSH}"]}` } }],
    ["the password of a URL in JSON", { env: { CONFIG: `{"db":"postgres://me:${HUSH}@db/x"}` } }],
    ["the password of a URL in a text", { env: { HOSTS: `redis://a,redis://:${HUSH}@b` } }],
    ["a parameter of an address in a text", { env: { DB: `jdbc:postgresql://db/x?user=me&password=${HUSH}` } }],
    ["a parameter behind `;`", { env: { DB: `sqlserver://db:1433;user=sa;password=${HUSH}` } }],
    ["an option in the environment", { env: { OPTIONS: `--user me --password ${HUSH} -v` } }],
    ["a pair in an argument", { args: [`host=db password=${HUSH}`] }],
    ["a pair in the value of an argument", { args: [`--dsn=host=db password=${HUSH}`] }],
    ["JSON in an argument", { args: ["--config", `{"api_key":"${HUSH}"}`] }],
    ["an argument with its name", { args: ["run", `--api-key=${HUSH}`] }],
    ["an argument after its name", { args: ["--token", HUSH] }],
    ["a header in an argument", { args: ["--header", `Authorization: Bearer ${HUSH}`] }],
    ["a parameter of the address", { url: `https://a.example/mcp?api_key=${HUSH}` }],
    ["the password of the address", { url: `https://me:${HUSH}@a.example/mcp` }],
  ];
  for (const [what, entry] of cases) it(what, () => assert.ok(secretsIn(entry).includes(HUSH), `${secretsIn(entry)}`));

  it("each line of a key of many lines", () => {
    const lines = ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0B", "-----END PRIVATE KEY-----"];
    assert.ok(secretsIn({ env: { PRIVATE_KEY: lines.join("\n") } }).includes(lines[1] ?? ""));
  });
});

it("of a text with a secret in it, nothing else is taken out by itself", () => {
  const dsn = `host=db-9x8y.example user=me4you2day password=${HUSH}`;
  assert.deepEqual(secretsIn({ env: { DB_DSN: dsn } }), [dsn, HUSH]);
  const json = `{"cwd": "/srv/9x8y7z6w5v", "password": "${HUSH}"}`;
  assert.deepEqual(secretsIn({ env: { CONFIG: json } }), [json, HUSH]);
});

it("nothing is found where nothing is secret", () => {
  const env = {
    NODE_OPTIONS: "--max-old-space-size=4096 --import=./hooks.js",
    DB_DSN: "host=db.example user=me password=${DB_PASSWORD}",
    FLAGS: '{"verbose":true,"level":3,"mode":"fast"}',
    LOG_LEVEL: "debug",
    HOME: "/home/me",
    MAX_TOKENS: "100000",
    DB_PASSWORD: "postgres",
    PIN: "1234",
  };
  const headers = { Accept: "application/json", "X-Region": "eu-west-1", "X-Team": "blue" };
  const args = [
    "-y",
    "@modelcontextprotocol/server-filesystem",
    "/srv/shared",
    "--port=3000",
    "--token-file",
    "/run/t",
  ];
  assert.deepEqual(secretsIn({ env, headers, args, url: "https://a.example/mcp?page=2" }), []);
});

it("an address and arguments are shown without their secrets", () => {
  const shown = "https://[redacted]@a.example/mcp?token=[redacted]&page=2&key=[redacted]#x";
  assert.equal(maskedAddress("https://me:pw@a.example/mcp?token=abc&page=2&key=k#x"), shown);
  assert.equal(maskedAddress("postgres://me:p@ss@db/x"), "postgres://[redacted]@db/x");
  assert.deepEqual(maskedArguments(["run", "--token", "abc", "--port", "1"]), [
    "run",
    "--token",
    "[redacted]",
    "--port",
    "1",
  ]);
});
