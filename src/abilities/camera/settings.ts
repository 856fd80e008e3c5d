/** What can be set of the camera ability. */
import type { VisionSettings } from "../shared/vision.ts";

export interface CameraSettings {
  /** @default "/dev/video0" */
  readonly device?: string | undefined;
  /** How ffmpeg reads the device, in its own words. @default "v4l2" */
  readonly format?: string | undefined;
  /** Both or neither. @default what the camera gives by itself */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Who answers the question about the photo. @default nobody: the caller looks at it */
  readonly vision?: VisionSettings | undefined;
}
