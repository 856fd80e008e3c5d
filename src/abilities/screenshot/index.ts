/** A picture of the screen, as a real PNG; with a vision service configured, what is to be seen in it as well. */
import { say } from "../../messages/catalogue.ts";
import type { UserTool } from "../../user-tools/tool.ts";
import type { Ability, AbilityContext, OpenAbility } from "../ability.ts";
import { Asker } from "../shared/asker.ts";
import { described } from "../shared/descriptions.ts";
import { imageContent, sizeOfPng } from "../shared/picture.ts";
import { Vision, type VisionSettings } from "../shared/vision.ts";
import { takeScreenshot } from "./capture.ts";

interface ScreenshotSettings {
  /** Who answers the question about the picture. @default nobody: the caller looks at it */
  readonly vision?: VisionSettings | undefined;
}

export const screenshot: Ability<ScreenshotSettings> = {
  name: "screenshot",
  open: async (settings, context) => openScreenshot(settings, context),
};

const PROPERTIES = { question: { type: "string" }, display: { type: "string", default: "" } } as const;

function openScreenshot(settings: ScreenshotSettings, context: AbilityContext): OpenAbility {
  const vision = settings.vision && new Vision(settings.vision);
  const asker = new Asker(context.env);
  const tool: UserTool<typeof PROPERTIES> = {
    name: "take_screenshot",
    ...described("screenshot.take_screenshot"),
    properties: PROPERTIES,
    readOnly: true,
    handler: async ({ question, display }, call) => {
      const asking = asker.ask(call);
      const picture = await takeScreenshot(display, asking);
      if (vision) return vision.contents(picture, question, asking);
      return [
        imageContent(picture),
        { type: "text", text: say(call.language, "screenshot.taken", sizeOfPng(picture)) },
      ];
    },
  };
  const close = async (): Promise<void> => {
    asker.close();
    await vision?.close();
  };
  return { tools: [tool], close };
}
