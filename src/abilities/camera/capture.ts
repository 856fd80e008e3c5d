/** Takes one photo, with whichever program works: of a V4L2 device, or of a camera on a Raspberry Pi's own port. */
import { existsSync } from "node:fs";
import { say } from "../../messages/catalogue.ts";
import { type Picture, pictureIn } from "../shared/picture.ts";
import { type Asking, type Candidate, Complaint, firstThatWorks, onlyLinux, runWell } from "../shared/programs.ts";
import type { CameraSettings } from "./settings.ts";

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
/** A webcam's first pictures are dark: it has not seen yet how bright it is. */
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

export async function takePhoto(settings: CameraSettings, asking: Asking): Promise<Picture> {
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
    // Whatever else failed: without the device there was little to hope for.
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
