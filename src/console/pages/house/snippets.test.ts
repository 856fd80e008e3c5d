import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DEFAULT_CONFIG } from "../../../config/defaults.ts";
import { parseConfig } from "../../../config/load.ts";
import { deviceAddress, HOME_ASSISTANT_PIECE, HOUSE_PIECE, LAMPS_PIECE } from "./snippets.ts";
import { isUsual } from "./usual-plan.ts";

const FILE = "zaguan.json";

describe("pieces of zaguan.json", () => {
  test("are what the hub reads", () => {
    assert.deepEqual(parseConfig(HOUSE_PIECE, FILE, {}).devices.house, DEFAULT_CONFIG.devices.house);
    const { house } = parseConfig(LAMPS_PIECE, FILE, {}).devices;
    assert.deepEqual(house !== false && house.lights, ["hall", "kitchen", "bedroom"]);
    const { homeAssistant } = parseConfig(HOME_ASSISTANT_PIECE, FILE, { HASS_TOKEN: "secret" });
    const home = homeAssistant["home-assistant"];
    assert.deepEqual([home?.url, home?.token], ["http://192.168.1.22:8123", "secret"]);
  });

  test("would give the house whose plan is drawn by hand", () => {
    const { house } = DEFAULT_CONFIG.devices;
    assert.ok(house !== false && isUsual(house.lights));
  });
});

describe("the address for devices", () => {
  test("is where the page came from, as a socket", () => {
    assert.equal(deviceAddress("http://127.0.0.1:3003/#/house"), "ws://127.0.0.1:3003/xiaozhi/v1/");
    assert.equal(deviceAddress("https://example.org/zaguan/?a=b#/"), "wss://example.org/zaguan/xiaozhi/v1/");
  });
});
