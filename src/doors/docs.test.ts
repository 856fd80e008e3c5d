import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { type OpenDoors, openDoors } from "../../test/support/open-doors.ts";
import { docs, docsFrom } from "./docs.ts";
import { DOORS } from "./index.ts";

describe("GET /openapi.json", () => {
  let doors: OpenDoors;
  before(async () => {
    doors = await openDoors(DOORS);
  });
  after(() => doors.close());

  it("describes all REST doors by a document that fits the official schema", async () => {
    const { status, json } = await doors.ask("/openapi.json");
    assert.equal(status, 200);
    assert.deepEqual(await new Validator().validate(json), { valid: true });
    assert.ok("/health" in (json["paths"] as object) && "/mcp/servers" in (json["paths"] as object));
  });

  it("is open to everybody, and gives the address by which the reader came", async () => {
    const headers = { host: `localhost:${doors.port}`, "x-api-key": "wrong" };
    const { json } = await doors.ask("/openapi.json", { headers });
    assert.deepEqual(json["servers"], [{ url: `http://localhost:${doors.port}` }]);
    const proxied = await doors.ask("/openapi.json", { headers: { ...headers, "x-forwarded-proto": "https" } });
    assert.deepEqual(proxied.json["servers"], [{ url: `https://localhost:${doors.port}` }]);
  });
});

describe("GET /docs", () => {
  let doors: OpenDoors;
  before(async () => {
    doors = await openDoors([docs]);
  });
  after(() => doors.close());

  it("loads nothing but what is served here, and runs no script that was not served so", async () => {
    const { status, text, headers } = await doors.ask("/docs");
    assert.deepEqual([status, headers["content-type"]], [200, "text/html; charset=utf-8"]);
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|http/);
    assert.doesNotMatch(text, /https?:|<script>|<style|style=/);
  });

  it("has every file that it names", async () => {
    const { text } = await doors.ask("/docs");
    const files = [...text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, file = ""]) => file);
    assert.equal(files.length, 3);
    for (const file of files) {
      const { status, text: content, headers } = await doors.ask(`/${file}`);
      assert.equal(status, 200, file);
      assert.match(String(headers["content-type"]), file.endsWith("css") ? /^text\/css/ : /^text\/javascript/);
      assert.ok(content.length > 50, file);
    }
  });

  for (const path of ["/docs/package.json", "/docs/..%2Fpackage.json", "/docs/%2e%2e%2fdocs.ts", "/docs/constructor"]) {
    it(`has no ${path}`, async () => assert.equal((await doors.ask(path)).status, 404));
  }
});

describe("GET /docs without its viewer", () => {
  it("says so in one sentence, and leads to the description", async () => {
    const doors = await openDoors([docsFrom(() => [new URL("./nowhere/", import.meta.url)])]);
    const { status, text } = await doors.ask("/docs", { headers: { "accept-language": "es" } });
    assert.equal(status, 200);
    assert.match(text, /<p>El visor .* está en <a href="openapi.json">\/openapi.json<\/a>\.<\/p>/);
    assert.equal((await doors.ask("/docs/swagger-ui.css")).status, 404);
    await doors.close();
  });
});
