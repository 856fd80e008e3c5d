/** A photo of what the camera sees; with a vision service configured, what is to be seen in it as well. */
import type { UserTool } from "../../user-tools/tool.ts";
import type { Ability, AbilityContext, OpenAbility } from "../ability.ts";
import { Asker } from "../shared/asker.ts";
import { described } from "../shared/descriptions.ts";
import { OneAtATime } from "../shared/one-at-a-time.ts";
import { imageContent } from "../shared/picture.ts";
import { Vision } from "../shared/vision.ts";
import { takePhoto } from "./capture.ts";
import type { CameraSettings } from "./settings.ts";

export type { CameraSettings } from "./settings.ts";

export const camera: Ability<CameraSettings> = {
  name: "camera",
  open: async (settings, context) => openCamera(settings, context),
};

const PROPERTIES = { question: { type: "string" } } as const;

function openCamera(settings: CameraSettings, context: AbilityContext): OpenAbility {
  const vision = settings.vision && new Vision(settings.vision);
  // A camera can be opened once.
  const turns = new OneAtATime();
  const asker = new Asker(context.env);
  const tool: UserTool<typeof PROPERTIES> = {
    name: "take_photo",
    ...described("camera.take_photo"),
    properties: PROPERTIES,
    readOnly: true,
    handler: async ({ question }, call) => {
      const asking = asker.ask(call);
      const picture = await turns.run(() => takePhoto(settings, asking));
      return vision ? vision.contents(picture, question, asking) : imageContent(picture);
    },
  };
  const close = async (): Promise<void> => {
    asker.close();
    await vision?.close();
  };
  return { tools: [tool], close };
}
