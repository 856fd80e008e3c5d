/**
 * A picture of a voice box, in the form that the firmware gives it (`ImageContent` in main/mcp_server.h of
 * 78/xiaozhi-esp32), read by the official Python client, which refuses whatever MCP does not call a picture.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { pythonWithClient } from "../peers/support/python.ts";
import { dialFirmware, PHOTO } from "../support/devices/index.ts";
import { runProgram } from "../support/run-program.ts";
import { openHub, sourceNameOf, untilListed } from "../support/seed-002.ts";

const found = await pythonWithClient();
const SCRIPT = fileURLToPath(new URL("support/photo-client.py", import.meta.url));

describe("a voice box's photo", { skip: "missing" in found ? found.missing : false }, () => {
  it("is a picture for the official Python client, in both eras, at the hub's door and the box's own", async () => {
    const { hub, http } = await openHub();
    try {
      const box = await dialFirmware({ url: hub.url });
      await untilListed(http, "self.camera.take_photo");
      const urls = [`${hub.url}/mcp`, `${hub.url}/servers/${sourceNameOf(box.id)}/mcp`];
      const { code, stdout, stderr } = await runProgram("python" in found ? found.python : "", [SCRIPT, ...urls]);
      assert.equal(code, 0, stderr);
      assert.deepEqual(JSON.parse(stdout), Array(4).fill({ type: "image", ...PHOTO }));
      await box.close();
    } finally {
      await hub.stop();
    }
  });
});
