/** A photo by the real ffmpeg, of a picture that it makes itself in the place of a camera; skipped where it is missing. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { camera } from "../../src/abilities/camera/index.ts";
import type { Content } from "../../src/user-tools/tool.ts";
import { abilityContext, callTool, failureIn } from "../support/abilities/open-ability.ts";
import { missingPrograms } from "../support/abilities/virtual-screen.ts";
import { runProgram } from "../support/run-program.ts";

const missing = missingPrograms("ffmpeg", "ffprobe");
const skip = missing.length > 0 && `not installed: ${missing.join(", ")} (package ffmpeg)`;

describe("a photo by ffmpeg", { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), "real-photo-"));
  after(() => rmSync(folder, { recursive: true }));

  it("is a JPEG of the camera's size", async () => {
    const settings = { format: "lavfi", device: "testsrc=size=320x240:rate=30" };
    const ability = await camera.open(settings, abilityContext({ PATH: process.env["PATH"] }));
    const photo = (await callTool(ability, "take_photo", { question: "?" })) as Content;
    assert.ok(photo.type === "image" && photo.mimeType === "image/jpeg");
    const file = join(folder, "photo.jpg");
    writeFileSync(file, Buffer.from(photo.data, "base64"));
    const args = ["-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0", file];
    assert.equal((await runProgram("ffprobe", args)).stdout.trim(), "mjpeg,320,240");
  });

  it("is refused in ffmpeg's own words for what is no camera", async () => {
    const device = join(folder, "video0");
    writeFileSync(device, "");
    const ability = await camera.open({ device }, abilityContext({ PATH: process.env["PATH"] }));
    assert.match(await failureIn(ability, "take_photo", { question: "?" }), /^ffmpeg failed: .*video0.*/);
  });
});
