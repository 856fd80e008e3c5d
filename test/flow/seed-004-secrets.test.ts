/**
 * The secrets of API tools at a real hub: sent to the service and nowhere else, in no answer, no line of the log and no
 * file in clear. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertToolFailed, type OpenWeather, oauthFields, openWeather, toolBody } from "../support/seed-004.ts";

const secret = (): string => `secreto-${randomBytes(12).toString("hex")}`;
const HEADER = secret();
const QUERY = secret();
const BODY = secret();
const BEARER = secret();
const BASIC = Buffer.from(`ana:${secret()}`).toString("base64");
const CUSTOM = secret();
const OAUTH = secret();
const REPLACED = secret();
const ALL = [HEADER, QUERY, BODY, BEARER, BASIC, CUSTOM, OAUTH, REPLACED];

const folder = mkdtempSync(join(tmpdir(), "zaguan-api-secrets-"));
const texts: string[] = [];
let house: OpenWeather;

function described(): Readonly<Record<string, object>> {
  const key = { authenticationType: "API_KEY", apiKeyName: "llave" };
  return {
    cabecera: { ...key, apiKeyLocation: "HEADER", apiKeyValue: HEADER },
    consulta: { ...key, apiKeyLocation: "QUERY_PARAMETER", apiKeyValue: QUERY },
    cuerpo: { ...key, apiKeyLocation: "IN_BODY", apiKeyValue: BODY, httpMethod: "POST" },
    ficha: { authenticationType: "BEARER_TOKEN", apiKeyName: "Authorization", apiKeyValue: BEARER },
    basica: { authenticationType: "BASIC_AUTH", apiKeyName: "Authorization", apiKeyValue: BASIC },
    propia: { customHeaders: { "X-Propia": CUSTOM } },
    oauth: oauthFields(`${house.weather.url}/oauth/token`, "body", OAUTH),
  };
}

before(async () => {
  house = await openWeather({ folder, config: { log: { level: "trace" } } });
  for (const [code, more] of Object.entries(described())) {
    const { status, text } = await house.tools.post(toolBody(code, "/v1/leak.json", more));
    assert.equal(status, 201, text);
    texts.push(text);
  }
});
after(async () => {
  await house?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function assertSilent(text: string, where: string): void {
  for (const [index, value] of ALL.entries()) {
    const forms = [value, Buffer.from(value).toString("base64").slice(0, -4), Buffer.from(value).toString("hex")];
    for (const form of forms) assert.ok(!text.includes(form), `secret ${index} is told in ${where}`);
  }
}

function assertFolderSilent(): void {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  const kept = files.filter((file) => statSync(file).isFile());
  assert.ok(kept.length > 1);
  for (const file of kept) assertSilent(readFileSync(file, "latin1"), file);
}

describe("secrets", () => {
  it("are in no answer of those who describe tools", async () => {
    for (const code of Object.keys(described())) {
      const one = await house.tools.get(code);
      texts.push(one.text);
      const again = await house.tools.http.send("PUT", `/admin/tools/api/${one.body.id}`, {
        ...one.body,
        description: "d",
      });
      assert.equal(again.status, 200, again.text);
      texts.push(again.text, (await house.tools.validate(one.body.id)).text);
    }
    texts.push((await house.tools.http.get("/admin/tools/api")).text);
    texts.push((await house.tools.http.get("/api/export/providers")).text);
    texts.push((await house.tools.http.get("/mcp/servers")).text);
    texts.push((await house.tools.http.get("/mcp/tools/all")).text);
    assertSilent(texts.join("\n"), "an answer");
  });

  it("are in no answer that refuses a description", async () => {
    const mala = toolBody("mala", "/v1/echo", { ...described()["cabecera"], httpMethod: "FETCH" });
    assertSilent((await house.tools.post(mala)).text, "a refusal");
    const taken = toolBody("cabecera", "/v1/echo", described()["cabecera"]);
    assertSilent((await house.tools.post(taken)).text, "a refusal");
  });

  it("are in no list", async () => {
    assertSilent(JSON.stringify([await house.tools.discover(), await house.tools.list()]), "a list");
  });

  it("reach the service, and are not told again where its failure repeats them", async () => {
    for (const code of Object.keys(described())) {
      const answer = await house.tools.call(code, { q: "x" });
      assert.match(assertToolFailed(answer, "1"), /500/);
      assertSilent(answer.text, `the failure of ${code}`);
      assertSilent((await house.tools.execute(code, { q: "x" })).text, `the failure of ${code}`);
    }
    const seen = JSON.stringify(house.weather.received.map(({ target, headers, body }) => [target, headers, body]));
    for (const value of ALL.slice(0, -1)) assert.ok(seen.includes(value), "each was really sent");
  });

  it("are replaced with the tool, and the old one is sent no more", async () => {
    const { body } = await house.tools.get("cabecera");
    const { text } = await house.tools.put(body.id, { ...body, apiKeyValue: REPLACED });
    assertSilent(text, "an answer");
    house.weather.forget();
    await house.tools.call("cabecera", { q: "x" });
    assert.equal(house.weather.last.headers["llave"], REPLACED);
  });

  it("are in no file and in no line of the log in clear", async () => {
    assertFolderSilent();
    await house.hub.stop();
    assertFolderSilent();
    assertSilent(house.hub.stdout() + house.hub.stderr(), "the log");
  });
});
