import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkConfigText, parseConfig } from "./load.ts";
import { checkFileForm } from "./schema.ts";
import type { XiaozhiConfig } from "./types.ts";

const CLOUD = { url: "wss://api.xiaozhi.me/mcp/?token=eyJ.secret" };
const SERVER = { url: "ws://192.168.1.9:8000/xiaozhi/v1/", as: "device" };

describe("xiaozhi", () => {
  it("is nothing unless given", () => {
    assert.deepEqual(accepted(undefined), { endpoints: [] });
    assert.deepEqual(accepted({}), { endpoints: [] });
  });

  it("has endpoints with every default", () => {
    assert.deepEqual(accepted({ endpoints: [CLOUD] }).endpoints, [
      {
        ...CLOUD,
        name: "api.xiaozhi.me",
        as: "endpoint",
        language: "zh",
        disabled: false,
        allowPrivate: true,
      },
    ]);
  });

  it("takes all that can be said of one", () => {
    const whole = {
      ...SERVER,
      name: "客厅",
      agent: "living room",
      language: "en",
      deviceId: "02:00:00:00:00:01",
      clientId: "5a5d",
      token: "t",
      disabled: true,
      allowPrivate: false,
    };
    assert.deepEqual(accepted({ endpoints: [whole] }).endpoints, [whole]);
  });

  it("names those without a name by their host, and tells those of one host apart", () => {
    const urls = ["wss://a/?token=1", "wss://a/?token=2", "ws://a:8004/", "wss://a/?token=3"];
    const endpoints = [...urls.map((url) => ({ url })), { url: "wss://b/", name: "a-2" }];
    assert.deepEqual(
      accepted({ endpoints }).endpoints.map(({ name }) => name),
      ["a", "a-3", "a:8004", "a-4", "a-2"],
    );
  });

  it("carries who looks at pictures", () => {
    const vision = { url: "http://192.168.1.9:8003/mcp/vision/explain", token: "t" };
    assert.deepEqual(accepted({ vision }), { endpoints: [], vision });
    assert.equal(accepted({ vision: { url: vision.url } }).vision?.token, "");
    assert.match(refused({ vision: { url: "ws://a" } }).join(), /^xiaozhi\.vision\.url: must be an http or https URL/);
  });

  it("has URLs of WebSockets, without a password, which no message repeats", () => {
    for (const url of ["https://secret", "secret", "ws://me:secret@a", "ws://a/#secret", "wss://"]) {
      assert.deepEqual(refused({ endpoints: [{ url }] }), [
        'xiaozhi.endpoints[0].url: expected a URL that begins with ws:// or wss://, without a password and without "#"',
      ]);
    }
  });

  it("says where something is wrong", () => {
    assert.deepEqual(refused({ endpoints: [CLOUD, { ur: "x" }] }), [
      "xiaozhi.endpoints[1].url: expected a text, found nothing",
      'xiaozhi.endpoints[1].ur: unknown key "ur" (did you mean "url"?)',
    ]);
    assert.deepEqual(refused({ endpoints: [{ ...CLOUD, as: "robot" }] }), [
      'xiaozhi.endpoints[0].as: expected one of "endpoint", "device"',
    ]);
    for (const token of ["two words", "né", "line\nline", ""]) {
      assert.deepEqual(refused({ endpoints: [{ ...CLOUD, token }] }), [
        "xiaozhi.endpoints[0].token: expected a token, which is one word",
      ]);
    }
  });

  it("refuses a device's ids where there is no device", () => {
    assert.deepEqual(refused({ endpoints: [{ ...CLOUD, deviceId: "x", clientId: "y" }] }), [
      'xiaozhi.endpoints[0].deviceId: is for "as": "device" alone',
      'xiaozhi.endpoints[0].clientId: is for "as": "device" alone',
    ]);
  });

  it("refuses two of one name, of one token, or of one device, which would end each other's connections", () => {
    assert.deepEqual(
      refused({
        endpoints: [
          { ...CLOUD, name: "a" },
          { url: "wss://b", name: "a" },
        ],
      }),
      ["xiaozhi.endpoints[1].name: another endpoint has this name"],
    );
    assert.deepEqual(refused({ endpoints: [CLOUD, { ...CLOUD, name: "again" }] }), [
      "xiaozhi.endpoints[1].url: another endpoint has this URL, and each would end the other's connection",
    ]);
    assert.deepEqual(refused({ endpoints: [SERVER, { ...SERVER, url: `${SERVER.url}?x=1` }] }), [
      'xiaozhi.endpoints[1].url: another device dials the same server; give each a "deviceId" of its own',
    ]);
  });

  it("takes two devices at one server, and one URL twice where one of them is left out", () => {
    assert.equal(accepted({ endpoints: [SERVER, { ...SERVER, deviceId: "b" }] }).endpoints.length, 2);
    assert.equal(accepted({ endpoints: [CLOUD, { ...CLOUD, disabled: true }] }).endpoints.length, 2);
  });

  it("takes tokens from the environment, and tells if they are not there", () => {
    const reference = `$${"{XIAOZHI_TOKEN}"}`;
    const url = `wss://api.xiaozhi.me/mcp/?token=${reference}`;
    const text = JSON.stringify({ xiaozhi: { endpoints: [{ url }, { url: reference }] } });
    assert.throws(() => parseConfig(text, "zaguan.json", {}), /xiaozhi\.endpoints\[0\]\.url: .*XIAOZHI_TOKEN/);
    checkConfigText(text, "zaguan.json");
    const { xiaozhi } = parseConfig(text, "zaguan.json", { XIAOZHI_TOKEN: "wss://x/mcp" });
    assert.equal(xiaozhi.endpoints[0]?.url, "wss://api.xiaozhi.me/mcp/?token=wss://x/mcp");
    assert.equal(xiaozhi.endpoints[1]?.url, "wss://x/mcp");
  });
});

function accepted(xiaozhi: unknown): XiaozhiConfig {
  const checked = checkFileForm(xiaozhi === undefined ? {} : { xiaozhi });
  assert.ok("config" in checked, JSON.stringify(checked));
  return checked.config.xiaozhi;
}

function refused(xiaozhi: unknown): string[] {
  const checked = checkFileForm({ xiaozhi });
  assert.ok("problems" in checked);
  return checked.problems.map(({ path, text }) => `${path}: ${text}`);
}
