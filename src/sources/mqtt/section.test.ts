import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { optionsOf } from "./broker.ts";
import { MQTT_SECTION } from "./section.ts";

const URL = "mqtt://192.168.1.10";
const { entry: schema, read } = MQTT_SECTION;

describe("a broker in the file", () => {
  it("needs its address alone, and shows everything, and publishes nothing", () => {
    const entry = schema.parse({ url: URL });
    assert.deepEqual(entry, {
      url: URL,
      tls: { rejectUnauthorized: true },
      topics: ["#"],
      publish: [],
      discovery: { homeAssistant: "homeassistant", zigbee2mqtt: "zigbee2mqtt" },
      qos: 1,
      keepaliveSeconds: 30,
      disabled: false,
      zaguan: { allowPrivate: true, repeatable: [], cacheSeconds: {} },
    });
    const { memory, ...options } = optionsOf(read(entry, "/etc/zaguan"), false);
    assert.deepEqual([options.allowPrivate, memory.lastHeard.size, "disabled" in options], [true, 0, false]);
  });

  it("may say more", () => {
    const entry = {
      url: "wss://broker.example/mqtt",
      username: "hub",
      password: "secret",
      tls: { ca: "ca.pem", cert: "hub.pem", key: "hub.key", rejectUnauthorized: false },
      clientId: "zaguan",
      topics: ["house/#"],
      publish: ["house/+/set"],
      discovery: { homeAssistant: false, zigbee2mqtt: "z2m/upstairs" },
      qos: 2,
    };
    const config = read(schema.parse(entry), "/etc/zaguan");
    assert.deepEqual(config.discovery, entry.discovery);
    assert.deepEqual([config.tls.ca, config.tls.key], ["/etc/zaguan/ca.pem", "/etc/zaguan/hub.key"]);
    assert.equal(config.policy.trusted, true);
  });

  const bad: readonly (readonly [string, object])[] = [
    ["no address", {}],
    ["an address of the web", { url: "http://192.168.1.10" }],
    ["a password in the address", { url: "mqtt://me:secret@192.168.1.10" }],
    ["an address without a host", { url: "mqtt:" }],
    ["a filter that is none", { url: URL, topics: ["a#"] }],
    ["publishing to the broker's own topics", { url: URL, publish: ["$SYS/#"] }],
    ["a prefix with wildcards", { url: URL, discovery: { homeAssistant: "#" } }],
    ["a quality that there is not", { url: URL, qos: 3 }],
    ["a misspelt key", { url: URL, topic: ["#"] }],
  ];
  for (const [what, entry] of bad) it(`is refused with ${what}`, () => assert.ok(!schema.safeParse(entry).success));

  it("has a sentence for each of its members", () => {
    const shape = (schema as unknown as { shape: Record<string, { description?: string }> }).shape;
    for (const [key, { description = "" }] of Object.entries(shape)) assert.match(description, /^[A-Z].*\.$/s, key);
  });
});
