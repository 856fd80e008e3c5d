/** Credentials of an API are one thing: the file and the REST door take and refuse the same ones, at the same place. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkFileForm } from "../config/schema.ts";
import { checked } from "../doors/rest/checked.ts";
import { ZaguanError } from "../errors.ts";
import { ImportChange } from "./api.ts";

const KEY = { type: "apiKey", in: "header", name: "X-Key", value: "k" };
const BASIC = { type: "basic", username: "me", password: "clé: «7»" };
const OAUTH = { type: "oauth2", tokenUrl: "https://a.example/token", clientId: "me", clientSecret: "s" };

const TAKEN: readonly object[] = [
  { type: "none" },
  { type: "bearer", token: "a.b-c_d==" },
  { ...KEY, value: "clé" },
  { ...KEY, in: "query", name: "api key", value: "中\n" },
  { ...KEY, in: "cookie", value: "中" },
  BASIC,
  { ...BASIC, username: "", password: "" },
  { ...OAUTH, scopes: ["read:pets"], sendAs: "body" },
  { api_key: KEY, type: { type: "bearer", token: "t" } },
  {},
];

const REFUSED: readonly (readonly [place: string, auth: unknown])[] = [
  ["auth.token", { type: "bearer", token: "clé" }],
  ["auth.token", { type: "bearer", token: "a b" }],
  ["auth.token", { type: "bearer", token: "" }],
  ["auth.token", { type: "bearer", token: "x".repeat(16_385) }],
  ["auth.value", { ...KEY, value: "中" }],
  ["auth.value", { ...KEY, value: "a\u0001" }],
  ["auth.value", { ...KEY, value: "a\r\nb: c" }],
  ["auth.name", { ...KEY, name: "X Key" }],
  ["auth.name", { ...KEY, in: "cookie", name: "a;b" }],
  ["auth.username", { ...BASIC, username: "a:b" }],
  ["auth.password", { ...BASIC, password: "a\u0007" }],
  ["auth.tokenUrl", { ...OAUTH, tokenUrl: "https://a.example/token#x" }],
  ["auth.tokenUrl", { ...OAUTH, tokenUrl: "https://me@a.example/token" }],
  ["auth.scopes[0]", { ...OAUTH, scopes: ["é"] }],
  ["auth.scopes[0]", { ...OAUTH, scopes: ['a"b'] }],
  ["auth.type", { type: "basicRaw", value: "x" }],
  ["auth.pets.token", { pets: { type: "bearer", token: "clé" } }],
  ["auth.other", { pets: KEY, other: "t" }],
  ["auth", "Bearer t"],
];

describe("credentials of an API", () => {
  for (const auth of TAKEN) {
    it(`may be ${JSON.stringify(auth)}, in the file and over REST`, () => {
      assert.deepEqual([inFile(auth), overRest(auth)], [[], []]);
    });
  }

  for (const [place, auth] of REFUSED) {
    it(`may not be ${JSON.stringify(auth).slice(0, 80)}, in the file or over REST`, () => {
      const [ofFile, ofRest] = [inFile(auth), overRest(auth)];
      assert.deepEqual([ofFile.map(({ at }) => at), ofRest.map(({ at }) => at)], [[place], [place]]);
    });
  }

  it("are refused in the same words where their own schema has some", () => {
    for (const auth of [
      { type: "bearer", token: "clé" },
      { ...KEY, value: "中" },
      { ...BASIC, username: "a:b" },
    ]) {
      assert.deepEqual(inFile(auth), overRest(auth));
    }
  });
});

interface Refusal {
  readonly at: string;
  readonly text: string;
}

function inFile(auth: unknown): readonly Refusal[] {
  const verdict = checkFileForm({ apiTools: { a: { openapi: "a.json", auth } } });
  const problems = "problems" in verdict ? verdict.problems : [];
  return problems.map(({ path, text }) => ({ at: path.replace("apiTools.a.", ""), text }));
}

function overRest(auth: unknown): readonly Refusal[] {
  try {
    checked(ImportChange, { auth }, "en");
    return [];
  } catch (error) {
    assert.ok(error instanceof ZaguanError);
    const problems = error.details.data?.["errors"] as readonly { field: string; message: string }[];
    return problems.map(({ field, message }) => ({ at: field, text: message }));
  }
}
