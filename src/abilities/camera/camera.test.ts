import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { abilityContext, callTool, failureIn, standIn } from "../../../test/support/abilities/open-ability.ts";
import { printing, TINY_JPEG } from "../../../test/support/abilities/pictures.ts";
import { until } from "../../../test/support/processes.ts";
import type { OpenAbility } from "../ability.ts";
import { type CameraSettings, camera } from "./index.ts";

const root = mkdtempSync(join(tmpdir(), "camera-"));
const TOOL = "take_photo";
const question = "who is there?";
const PHOTO = printing(TINY_JPEG);
const IMAGE = { type: "image", data: TINY_JPEG.toString("base64"), mimeType: "image/jpeg" };

describe("a photo", { skip: process.platform !== "linux" }, () => {
  after(() => rmSync(root, { recursive: true }));

  const programs: readonly (readonly [string, string])[] = [
    [
      "ffmpeg",
      "-hide_banner -loglevel error -nostdin -f v4l2 -video_size 640x480 -i DEVICE -vf select=gte(n\\,8) -frames:v 1 -f image2pipe -c:v mjpeg -pix_fmt yuvj420p -q:v 3 pipe:1",
    ],
    ["fswebcam", "-q -d DEVICE -S 8 --no-banner --jpeg 90 -r 640x480 -"],
    ["rpicam-still", "-n -t 1000 -e jpg --width 640 --height 480 -o -"],
    ["libcamera-still", "-n -t 1000 -e jpg --width 640 --height 480 -o -"],
  ];
  for (const [program, args] of programs) {
    it(`is what ${program} writes`, async () => {
      const { ability, calls, device } = await machine({ [program]: PHOTO }, { width: 640, height: 480 });
      assert.deepEqual(await callTool(ability, TOOL, { question }), IMAGE);
      assert.deepEqual(calls(), [args.replace("DEVICE", device)]);
    });
  }

  it("is tried with the next program if one cannot open the camera", async () => {
    const { ability } = await machine({ ffmpeg: "echo 'Inappropriate ioctl' >&2; exit 1", "rpicam-still": PHOTO });
    assert.deepEqual(await callTool(ability, TOOL, { question }), IMAGE);
  });

  it("says which programs to install", async () => {
    const { ability } = await machine({});
    assert.match(
      await failureIn(ability, TOOL, { question }),
      /install one of: ffmpeg, fswebcam, rpicam-apps \(rpicam-still\), libcamera-apps \(libcamera-still\)$/,
    );
  });

  it("says that there is no camera, and asks no program that needs one", async () => {
    const { ability } = await machine({ ffmpeg: PHOTO }, { device: "/dev/video-none" });
    assert.equal(await failureIn(ability, TOOL, { question }), "There is no camera: /dev/video-none does not exist");
    assert.equal(await failureIn(ability, TOOL, { question }, "zh"), "没有摄像头：/dev/video-none 不存在");
  });

  it("is nothing that is no photo, and says why a program failed", async () => {
    const { ability } = await machine({ ffmpeg: "echo text", fswebcam: "echo 'Device or resource busy' >&2; exit 2" });
    assert.equal(
      await failureIn(ability, TOOL, { question }),
      "ffmpeg failed: it gave nothing that can be used; fswebcam failed: Device or resource busy",
    );
  });

  it("is taken by one at a time", async () => {
    const busy = `mkdir "\${0%/*}/busy" || { echo busy >&2; exit 1; }; sleep 0.2; rmdir "\${0%/*}/busy"; ${PHOTO}`;
    const { ability } = await machine({ ffmpeg: busy }, {}, ":/usr/bin:/bin");
    const photos = await Promise.all([1, 2, 3].map(() => callTool(ability, TOOL, { question })));
    assert.deepEqual(photos, [IMAGE, IMAGE, IMAGE]);
  });

  it("is given up when the caller leaves, and when the ability is closed", async () => {
    const { ability, calls } = await machine({ ffmpeg: "exec sleep 60" }, {}, ":/usr/bin:/bin");
    const stop = new AbortController();
    const left = callTool(ability, TOOL, { question }, { signal: stop.signal });
    await until("it runs", () => calls().length === 1);
    stop.abort();
    await assert.rejects(left, { message: "ffmpeg failed: it was cancelled" });
    const closed = callTool(ability, TOOL, { question });
    await until("it runs again", () => calls().length === 2);
    await ability.close();
    await assert.rejects(closed, { message: "ffmpeg failed: it was cancelled" });
  });
});

interface Machine {
  readonly ability: OpenAbility;
  readonly device: string;
  calls(): string[];
}

/** A stand-in program tells its arguments, one call per line. */
async function machine(
  scripts: Readonly<Record<string, string>>,
  settings: CameraSettings = {},
  morePath = "",
): Promise<Machine> {
  const folder = mkdtempSync(join(root, "m-"));
  const [log, device] = [join(folder, "calls"), join(folder, "video0")];
  writeFileSync(log, "");
  writeFileSync(device, "");
  for (const [name, script] of Object.entries(scripts))
    standIn(folder, name, `printf '%s\\n' "$*" >> ${log}\n${script}`);
  const context = abilityContext({ PATH: `${join(folder, "bin")}${morePath}` });
  const ability = await camera.open({ device, ...settings }, context);
  return { ability, device, calls: () => readFileSync(log, "utf8").trim().split("\n").filter(Boolean) };
}
