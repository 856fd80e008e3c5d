import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type OpenDoors, openDoors } from "../../test/support/open-doors.ts";
import { page } from "./page.ts";

describe("GET /", () => {
  let doors: OpenDoors;
  before(async () => {
    doors = await openDoors([page], { status: { version: "<b>1</b>" }, settings: { allowedHosts: ["a'b.example"] } });
  });
  after(() => doors.close());

  it("names the doors at the address by which the visitor came", async () => {
    const { status, text, headers } = await doors.ask("/", { headers: { host: `localhost:${doors.port}` } });
    assert.equal(status, 200);
    assert.match(String(headers["content-type"]), /^text\/html/);
    assert.ok(text.includes(`http://localhost:${doors.port}/mcp`));
    assert.ok(text.includes("zaguan stdio"));
    for (const place of ["/api/tools/discover", "/openapi/tools.json", "/admin/apis"]) assert.ok(text.includes(place));
  });

  for (const [language, word] of Object.entries({ en: "Connect", es: "Conectar", fr: "Se connecter", zh: "连接" })) {
    it(`speaks ${language}, and tells caches that it depends on that`, async () => {
      const { text, headers } = await doors.ask("/", { headers: { "accept-language": language } });
      assert.ok(text.includes(`<html lang="${language}">`) && text.includes(`<h2>${word}</h2>`));
      assert.equal(headers["vary"], "accept-language");
    });
  }

  it("runs no script, loads nothing and cannot be framed", async () => {
    const { text, headers } = await doors.ask("/");
    const policy = String(headers["content-security-policy"]);
    assert.ok(policy.startsWith("default-src 'none';") && policy.includes("frame-ancestors 'none'"));
    assert.doesNotMatch(policy, /script-src/);
    assert.doesNotMatch(text, /<script|\son\w+=|src=/);
  });

  it("writes out nothing as it came", async () => {
    const { text } = await doors.ask("/", { headers: { host: "a'b.example" } });
    assert.ok(text.includes("a&#39;b.example") && text.includes("&#60;b&#62;1"));
    assert.ok(!text.includes("a'b.example") && !text.includes("<b>"));
  });
});
