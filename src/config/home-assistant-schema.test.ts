import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseConfig } from "./load.ts";
import { checkFileForm } from "./schema.ts";
import type { HomeAssistantConfig } from "./types.ts";

const house = { url: "http://192.168.1.22:8123", token: "a.b-c_d" };
const policy = { trusted: true, allowPrivate: true, repeatable: [], cacheSeconds: {} };

describe("homeAssistant", () => {
  it("is one house, called home-assistant, with every default", () => {
    assert.deepEqual(accepted(house), { "home-assistant": { ...house, disabled: false, policy } });
  });

  it("is several houses by name", () => {
    const houses = accepted({ madrid: house, playa: { ...house, url: "https://playa.example.org/" } });
    assert.deepEqual(Object.keys(houses), ["madrid", "playa"]);
    assert.equal(houses["playa"]?.url, "https://playa.example.org");
  });

  it("is nothing unless given", () => {
    assert.deepEqual(accepted(undefined), {});
    assert.deepEqual(accepted({}), {});
  });

  it("may have settings of its own, and be left out", () => {
    const { policy, disabled } = accepted({
      ...house,
      disabled: true,
      zaguan: { allowPrivate: false, cacheSeconds: { get_services: 60 } },
    })["home-assistant"] as HomeAssistantConfig;
    assert.equal(disabled, true);
    assert.equal(policy.allowPrivate, false);
    assert.deepEqual(policy.cacheSeconds, { get_services: 60 });
  });

  it("says where something is wrong in the form that was written", () => {
    assert.deepEqual(refused({ url: house.url }), ["homeAssistant.token: expected a text, found nothing"]);
    assert.deepEqual(refused({ ...house, tokn: "x" }), [
      'homeAssistant.tokn: unknown key "tokn" (did you mean "token"?)',
    ]);
    assert.deepEqual(refused({ madrid: { token: "x" }, playa: {} }), [
      "homeAssistant.madrid.url: expected a text, found nothing",
      "homeAssistant.playa.url: expected a text, found nothing",
      "homeAssistant.playa.token: expected a text, found nothing",
    ]);
    assert.deepEqual(refused("http://a"), [
      'homeAssistant: expected an object with "url" and "token", or several of them by name',
    ]);
  });

  it("has a URL of the web, without a password, a query or a socket's scheme", () => {
    for (const url of ["ws://a:8123", "a:8123", "http://me:secret@a", "http://a/?x=1", "http://a/#b", "http://"]) {
      assert.deepEqual(refused({ ...house, url }), [
        'homeAssistant.url: expected a URL such as "http://homeassistant.local:8123"',
      ]);
    }
  });

  it("has a token of one word, which no message repeats", () => {
    for (const token of ["", "two words", "né", "line\nline"]) {
      assert.deepEqual(refused({ ...house, token }), [
        "homeAssistant.token: expected a long-lived access token, which is one word",
      ]);
    }
  });

  it("has names that servers may have, and none that a server has", () => {
    assert.match(refused({ house }).join(), /belongs to the simulated house/);
    assert.match(refused({ a__b: house }).join(), /may not contain "__"/);
    const servers = { madrid: { command: "x" }, "home-assistant": { command: "x" } };
    assert.deepEqual(refused({ madrid: house }, servers), [
      'homeAssistant.madrid: there is a server "madrid" in mcpServers already',
    ]);
    assert.deepEqual(refused(house, servers), [
      'homeAssistant: there is a server "home-assistant" in mcpServers already',
    ]);
  });

  it("takes the token from the environment, and tells if it is not there", () => {
    const text = JSON.stringify({ homeAssistant: { ...house, token: `$${"{HASS_TOKEN}"}` } });
    const { homeAssistant } = parseConfig(text, "zaguan.json", { HASS_TOKEN: "from-there" });
    assert.equal(homeAssistant["home-assistant"]?.token, "from-there");
    assert.throws(() => parseConfig(text, "zaguan.json", {}), /homeAssistant\.token: .*HASS_TOKEN/);
  });
});

function accepted(homeAssistant: unknown): Readonly<Record<string, HomeAssistantConfig>> {
  const checked = checkFileForm(homeAssistant === undefined ? {} : { homeAssistant });
  assert.ok("config" in checked, JSON.stringify(checked));
  return checked.config.homeAssistant;
}

function refused(homeAssistant: unknown, mcpServers: unknown = {}): string[] {
  const checked = checkFileForm({ homeAssistant, mcpServers });
  assert.ok("problems" in checked);
  return checked.problems.map(({ path, text }) => `${path}: ${text}`);
}
