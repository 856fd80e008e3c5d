/** A photo of what the camera sees; with a vision service configured, what is to be seen in it as well. */
import { existsSync } from "node:fs";
import { say } from "../../messages/catalogue.ts";
import { defineTool } from "../../user-tools/define.ts";
import type { Ability, AbilityContext, OpenAbility } from "../ability.ts";
import {
  Asker,
  type Asking,
  type Candidate,
  Complaint,
  firstThatWorks,
  onlyLinux,
  runWell,
} from "../shared/programs.ts";
import { described, OneAtATime } from "../shared/tools.ts";
import { imageContent, type Picture, pictureIn, Vision, type VisionSettings } from "../shared/vision.ts";

export interface CameraSettings {
  /** @default "/dev/video0" */
  readonly device?: string | undefined;
  /** How ffmpeg reads the device, in its own words. @default "v4l2" */
  readonly format?: string | undefined;
  /** Both or neither. @default what the camera gives by itself */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** The service that answers a question about the photo. @default none: the photo itself is the answer */
  readonly vision?: VisionSettings | undefined;
}

export const camera: Ability<CameraSettings> = {
  name: "camera",
  open: async (settings, context) => openCamera(settings, context),
};

function openCamera(settings: CameraSettings, context: AbilityContext): OpenAbility {
  const vision = settings.vision && new Vision(settings.vision);
  // Only one program at a time can open a camera.
  const turns = new OneAtATime();
  const asker = new Asker(context.env);
  const tool = defineTool({
    name: "take_photo",
    ...described("camera.take_photo"),
    properties: { question: { type: "string" } },
    readOnly: true,
    handler: async ({ question }, call) => {
      const asking = asker.ask(call);
      const picture = await turns.run(() => takePhoto(settings, asking));
      return vision ? vision.contents(picture, question, asking) : imageContent(picture);
    },
  });
  const close = async (): Promise<void> => {
    asker.close();
    await vision?.close();
  };
  return { tools: [tool], close };
}

interface Program {
  readonly program: string;
  readonly package: string;
  /** Without it there is nothing that this program could open. */
  readonly needsDevice: boolean;
  /** They all write the photo to standard output. */
  args(camera: Camera): readonly string[];
}

interface Camera {
  readonly device: string;
  readonly format: string;
  readonly size?: { readonly width: number; readonly height: number } | undefined;
}

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 20_971_520;
/** A webcam's first frames are dark, until its exposure has adapted. */
const SKIPPED_FRAMES = 8;

const PROGRAMS: readonly Program[] = [
  {
    program: "ffmpeg",
    package: "ffmpeg",
    needsDevice: true,
    args: ({ device, format, size }) => [
      "-hide_banner",
      "-loglevel",
      "error",
      "-nostdin",
      "-f",
      format,
      ...(size ? ["-video_size", `${size.width}x${size.height}`] : []),
      "-i",
      device,
      "-vf",
      `select=gte(n\\,${SKIPPED_FRAMES})`,
      "-frames:v",
      "1",
      "-f",
      "image2pipe",
      "-c:v",
      "mjpeg",
      "-pix_fmt",
      "yuvj420p",
      "-q:v",
      "3",
      "pipe:1",
    ],
  },
  {
    program: "fswebcam",
    package: "fswebcam",
    needsDevice: true,
    args: ({ device, size }) => [
      "-q",
      "-d",
      device,
      "-S",
      String(SKIPPED_FRAMES),
      "--no-banner",
      "--jpeg",
      "90",
      ...(size ? ["-r", `${size.width}x${size.height}`] : []),
      "-",
    ],
  },
  { program: "rpicam-still", package: "rpicam-apps", needsDevice: false, args: still },
  { program: "libcamera-still", package: "libcamera-apps", needsDevice: false, args: still },
];

function still({ size }: Camera): readonly string[] {
  const dimensions = size ? ["--width", String(size.width), "--height", String(size.height)] : [];
  return ["-n", "-t", "1000", "-e", "jpg", ...dimensions, "-o", "-"];
}

/** With whichever program works: of a V4L2 device, or of a camera on a Raspberry Pi's own port. */
async function takePhoto(settings: CameraSettings, asking: Asking): Promise<Picture> {
  if (process.platform !== "linux" && settings.format === undefined) throw onlyLinux(asking.language);
  const { device = "/dev/video0", format = "v4l2", width, height } = settings;
  const camera = { device, format, size: width && height ? { width, height } : undefined };
  const isThere = !device.startsWith("/") || existsSync(device);
  const able = PROGRAMS.filter(({ needsDevice }) => isThere || !needsDevice);
  try {
    return await firstThatWorks(
      asking.language,
      able.map((program) => candidate(program, camera, asking)),
    );
  } catch (error) {
    // Where the device is missing, that is the reason to tell, whatever the programs said.
    throw isThere || asking.signal.aborted ? error : new Error(say(asking.language, "camera.none", { device }));
  }
}

function candidate(program: Program, camera: Camera, asking: Asking): Candidate<Picture> {
  const { program: name } = program;
  const run = async (): Promise<Picture> => {
    const { stdout } = await runWell(name, program.args(camera), asking, {
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    const picture = pictureIn(stdout);
    if (!picture) throw new Complaint(name, say(asking.language, "ability.unexpectedOutput"));
    return picture;
  };
  return { program: name, package: program.package, run };
}
