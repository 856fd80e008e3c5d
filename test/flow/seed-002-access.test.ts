/**
 * Devices at a hub that asks for a key: it comes in `Authorization`, with "Bearer" or as the device has it, or in the query;
 * without a good one there is no socket, and no key is ever told. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { dialFirmware } from "../support/devices/index.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { type OpenHub, openHub, untilGone, untilListed } from "../support/seed-002.ts";
import { makeKey } from "../support/seed-003.ts";
import { refusal } from "../support/socket-client.ts";

const VOLUME = "self.audio_speaker.set_volume";
const PATHS = ["/xiaozhi/v1/", "/mcp", "/ws"];

let house: OpenHub;
let key: string;
let user: RegistryClient;
before(async () => {
  house = await openHub({ auth: { requireKey: true } });
  key = await makeKey(house.hub, "caja");
  user = new RegistryClient(house.hub.url).withKey(key);
});
after(() => house?.hub.stop());

describe("a device with a key", () => {
  for (const saidIn of ["headers", "query"] as const) {
    it(`is let in when it says so in: ${saidIn}`, async () => {
      const device = await dialFirmware({ url: house.hub.url, token: key, saidIn });
      await untilListed(user, VOLUME);
      assert.equal(await user.textOf("/mcp", VOLUME, { volume: 3 }), "true");
      await device.close();
      await untilGone(user, VOLUME);
    });
  }

  it("is let in when its user has typed the word Bearer, too", async () => {
    const device = await dialFirmware({ url: house.hub.url, token: `Bearer ${key}` });
    await untilListed(user, VOLUME);
    await device.close();
    await untilGone(user, VOLUME);
  });

  for (const [where, options] of [
    ["in the header", () => ({ headers: { Authorization: key } })],
    [
      "in the query",
      () => ({ saidIn: "nowhere" as const, path: `/xiaozhi/v1/?authorization=${encodeURIComponent(key)}` }),
    ],
  ] as const) {
    it(`is let in without the word Bearer ${where}`, async () => {
      const device = await dialFirmware({ url: house.hub.url, ...options() });
      await untilListed(user, VOLUME);
      await device.close();
      await untilGone(user, VOLUME);
    });
  }
});

describe("a device without a good key", () => {
  for (const path of PATHS) {
    it(`gets no socket at ${path}`, async () => {
      const url = `${house.hub.url}${path}`;
      const wrong = `Bearer ${key.slice(0, -1)}x`;
      const attempts: Record<string, string>[] = [
        {},
        { authorization: wrong },
        { authorization: "Bearer " },
        { "device-id": key },
      ];
      for (const headers of attempts) {
        assert.equal((await refusal(url, headers)).status, 401, JSON.stringify(Object.keys(headers)));
      }
      assert.equal((await refusal(`${url}?authorization=${encodeURIComponent(wrong)}`)).status, 401);
    });
  }
});

describe("a page of some website", () => {
  it("gets no socket, whatever it says it is", async () => {
    for (const path of PATHS) {
      const headers = { origin: "https://evil.example", authorization: `Bearer ${key}`, "device-id": "a0:76" };
      assert.equal((await refusal(`${house.hub.url}${path}`, headers)).status, 403);
    }
  });
});

describe("the key", () => {
  it("is in no log and in no status", async () => {
    assert.ok(!house.logged().includes(key));
    assert.ok(!(await user.get("/mcp/status")).text.includes(key));
  });
});
