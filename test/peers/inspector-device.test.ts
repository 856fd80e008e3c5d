/** The official inspector's command line, with voice boxes that dialled in behind the hub: it lists and calls their tools. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { dialFirmware, dialPyXiaozhi, voiceBoxTools } from "../support/devices/index.ts";
import { type OpenHub, openHub, untilListed } from "../support/seed-002.ts";
import { Inspector } from "./support/inspector.ts";

const VOLUME = "self.audio_speaker.set_volume";

interface Listed {
  readonly tools: readonly { readonly name: string }[];
}

interface Called {
  readonly content: readonly { readonly text: string }[];
}

for (const [what, dial] of [
  ["the firmware", dialFirmware],
  ["py-xiaozhi", dialPyXiaozhi],
] as const) {
  describe(`inspector --cli with ${what} behind the hub`, () => {
    const temp = mkdtempSync(join(tmpdir(), "zaguan-inspector-"));
    const inspector = new Inspector(temp);
    let house: OpenHub;
    let device: Awaited<ReturnType<typeof dial>>;
    before(async () => {
      house = await openHub();
      device = await dial({ url: house.hub.url, tools: voiceBoxTools() });
      await untilListed(house.http, VOLUME);
    });
    after(async () => {
      await device?.close();
      await house?.hub.stop();
      rmSync(temp, { recursive: true, force: true });
    });

    test("lists its tools, strictly", async () => {
      const { tools } = await inspector.ask<Listed>(`${house.hub.url}/mcp`, "--strict", "--method", "tools/list");
      assert.ok(tools.some(({ name }) => name === VOLUME));
    });

    test("a call reaches the device and comes back", async () => {
      const call = ["--method", "tools/call", "--tool-name", VOLUME, "--tool-arg", "volume=30"];
      const { content } = await inspector.ask<Called>(`${house.hub.url}/mcp`, ...call);
      assert.equal(content[0]?.text, "true");
      const [asked] = device.asked("tools/call");
      assert.deepEqual(
        [asked.params.name, asked.params.arguments, typeof asked.id],
        [VOLUME, { volume: 30 }, "number"],
      );
    });
  });
}
