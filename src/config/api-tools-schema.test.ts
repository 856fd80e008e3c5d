// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are what people write in the file
import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { checkConfigText, parseConfig } from "./load.ts";
import { checkFileForm } from "./schema.ts";
import type { ApiToolsConfig } from "./types.ts";

const documented = { openapi: "./petstore.yaml" };
const weather = { name: "now", description: "The weather now", path: "/now" };
const written = { baseUrl: "https://api.example.org/", tools: [weather] };
const policy = { trusted: true, allowPrivate: false, repeatable: [], cacheSeconds: {} };
const usual = { auths: {}, headers: {}, disabled: false, policy };

describe("apiTools", () => {
  it("is nothing unless given", () => {
    const checked = checkFileForm({});
    assert.ok("config" in checked);
    assert.deepEqual(checked.config.apiTools, {});
  });

  it("has APIs by their documents, with every default", () => {
    const document = { file: resolve("petstore.yaml") };
    assert.deepEqual(accepted(documented), { document, tags: [], paths: [], ...usual });
    assert.deepEqual(accepted({ openapi: "https://example.org/api.json" }), {
      document: { url: "https://example.org/api.json" },
      tags: [],
      paths: [],
      ...usual,
    });
  });

  it("has APIs whose tools are written down, with every default", () => {
    const tools = [{ ...weather, method: "GET", parameters: [] }];
    assert.deepEqual(accepted(written), { baseUrl: "https://api.example.org", tools, ...usual });
  });

  it("may have settings of their own, and be left out", () => {
    const api = accepted({
      ...documented,
      baseUrl: "http://10.0.0.7/v2/",
      headers: { "X-Version": "2" },
      tags: ["pets"],
      paths: ["GET /pets/*"],
      callsPerMinute: 60,
      disabled: true,
      zaguan: { allowPrivate: true, concurrency: 2, cacheSeconds: { listPets: 60 } },
    });
    assert.deepEqual(api, {
      document: { file: resolve("petstore.yaml") },
      baseUrl: "http://10.0.0.7/v2",
      tags: ["pets"],
      paths: ["GET /pets/*"],
      auths: {},
      headers: { "X-Version": "2" },
      callsPerMinute: 60,
      disabled: true,
      policy: { ...policy, allowPrivate: true, concurrency: 2, cacheSeconds: { listPets: 60 } },
    });
  });

  it("means a relative file from the folder of the configuration, and an absolute one as it is", () => {
    const folder = join("/etc", "zaguan");
    const file = join(folder, "zaguan.json");
    const documentOf = (openapi: string): unknown => {
      const api = parseConfig(JSON.stringify({ apiTools: { a: { openapi } } }), file, { NAME: "petstore" }).apiTools[
        "a"
      ];
      return api && "document" in api ? api.document : assert.fail();
    };
    assert.deepEqual(documentOf("apis/${NAME}.json"), { file: join(folder, "apis", "petstore.json") });
    assert.deepEqual(documentOf("../petstore.json"), { file: join("/etc", "petstore.json") });
    assert.deepEqual(documentOf("/srv/petstore.json"), { file: "/srv/petstore.json" });
  });

  it("is one of the two, and whole", () => {
    assert.deepEqual(refused({}), ['apiTools.a: needs either "openapi" or "tools"']);
    assert.deepEqual(refused({ ...documented, ...written }), [
      'apiTools.a: has both "openapi" and "tools"; keep one of them',
    ]);
    assert.deepEqual(refused({ tools: [weather] }), ['apiTools.a.baseUrl: "tools" need to know where the API is']);
    assert.deepEqual(refused({ ...written, tools: [] }), ["apiTools.a.tools: needs at least one tool"]);
    assert.deepEqual(refused({ ...written, tools: [weather, weather] }), ["apiTools.a.tools: names a tool twice"]);
    assert.deepEqual(refused({ ...written, tags: ["x"], paths: ["/y"] }), [
      "apiTools.a.tags: chooses operations of a document, and there is none",
      "apiTools.a.paths: chooses operations of a document, and there is none",
    ]);
  });

  it("tells a misspelt key alone", () => {
    assert.deepEqual(refused({ openapy: "x" }), [
      'apiTools.a.openapy: unknown key "openapy" (did you mean "openapi"?)',
    ]);
    assert.deepEqual(refused({ ...documented, zaguan: { trusted: true } }), [
      'apiTools.a.zaguan.trusted: unknown key "trusted"',
    ]);
  });

  it("has addresses of the web, without a password", () => {
    for (const openapi of ["ftp://a/b.json", "file:///a.json", "https://me:pw@a/b.json", "https://"]) {
      assert.deepEqual(refused({ openapi }), [
        "apiTools.a.openapi: expected a file, or a URL that begins with http:// or https://, without a password",
      ]);
    }
    for (const [baseUrl, text] of [
      ...["api.example.org", "ws://a", ""].map((url) => [url, "must be an http or https URL"]),
      ["https://me:pw@a", "must not hold a name or a password: use auth"],
      ["https://a/#b", 'must not have a "#"'],
    ]) {
      assert.deepEqual(refused({ ...documented, baseUrl }), [`apiTools.a.baseUrl: ${text}`]);
    }
  });

  it("has headers that can be sent, and whole numbers of calls", () => {
    assert.match(
      refused({ ...documented, headers: { "X Y": "1" } }).join(),
      /headers.*not a possible name of a header/,
    );
    assert.deepEqual(refused({ ...documented, headers: { X: "1\r\nY: 2" } }), [
      "apiTools.a.headers.X: must be one line of characters that a header can have",
    ]);
    assert.deepEqual(refused({ ...documented, callsPerMinute: -1 }), ["apiTools.a.callsPerMinute: must be at least 0"]);
    assert.equal(accepted({ ...documented, callsPerMinute: 0 }).callsPerMinute, undefined);
  });

  it("has names that servers may have, and none that a server or a house has", () => {
    const form = {
      mcpServers: { a: { command: "x" }, b: { command: "x" } },
      homeAssistant: { url: "http://h:8123", token: "t" },
      apiTools: { b: documented, "home-assistant": documented, c: documented },
    };
    assert.deepEqual(problems(form), [
      'apiTools.b: there is a server "b" in mcpServers already',
      'apiTools.home-assistant: there is a house "home-assistant" in homeAssistant already',
    ]);
    assert.match(problems({ apiTools: { house: documented } }).join(), /belongs to the simulated house/);
    assert.match(problems({ apiTools: { a__b: documented } }).join(), /may not contain "__"/);
  });

  it("takes variables everywhere, and tells of those that are not set where they are", () => {
    const tool = { ...weather, path: "/v1/${PLACE}" };
    const text = JSON.stringify({
      apiTools: { a: { baseUrl: "${BASE}", auth: { type: "bearer", token: "${TOKEN}" }, tools: [tool] } },
    });
    const env = { BASE: "https://a", PLACE: "now", TOKEN: "t" };
    const api = parseConfig(text, "zaguan.json", env).apiTools["a"];
    assert.ok(api && "tools" in api);
    assert.deepEqual([api.baseUrl, api.tools[0]?.path], ["https://a", "/v1/now"]);
    assert.deepEqual(api.auths, { "": { type: "bearer", token: "t" } });
    assert.throws(() => parseConfig(text, "zaguan.json", {}), {
      message:
        "zaguan.json: apiTools.a.baseUrl: the environment variable BASE is not set; " +
        "apiTools.a.auth.token: the environment variable TOKEN is not set; " +
        "apiTools.a.tools[0].path: the environment variable PLACE is not set",
    });
    checkConfigText(text, "zaguan.json");
  });
});

function accepted(a: unknown): ApiToolsConfig {
  const checked = checkFileForm({ apiTools: { a } });
  assert.ok("config" in checked, JSON.stringify(checked));
  return checked.config.apiTools["a"] ?? assert.fail();
}

function refused(a: unknown): string[] {
  return problems({ apiTools: { a } });
}

function problems(form: unknown): string[] {
  const checked = checkFileForm(form);
  assert.ok("problems" in checked, "was accepted");
  return checked.problems.map(({ path, text }) => `${path}: ${text}`);
}
