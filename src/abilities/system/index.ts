/**
 * This machine itself: its state, the volume of its speaker, its applications. Starting and ending applications are
 * dangerous in the hands of whoever talks to a model, and each has a switch of its own.
 */
import { say } from "../../messages/catalogue.ts";
import type { AnyUserTool, HandlerContext, UserTool } from "../../user-tools/tool.ts";
import type { Ability, AbilityContext, OpenAbility } from "../ability.ts";
import { Asker } from "../shared/asker.ts";
import { described } from "../shared/descriptions.ts";
import { applicationTools } from "./applications.ts";
import type { SystemSettings } from "./settings.ts";
import { type Machine, readStatus } from "./status.ts";
import { readVolume, setVolume } from "./volume.ts";

export type { SystemSettings } from "./settings.ts";

const THIS_MACHINE: Machine = { sys: "/sys", proc: "/proc" };

export const system: Ability<SystemSettings> = {
  name: "system",
  open: async (settings, context) => openSystem(settings, context),
};

export function openSystem(
  settings: SystemSettings,
  context: AbilityContext,
  machine: Machine = THIS_MACHINE,
): OpenAbility {
  const asker = new Asker(context.env);
  const control = settings.mixerControl ?? "Master";
  const tools: AnyUserTool[] = [
    {
      name: "self.get_device_status",
      ...described("system.get_device_status"),
      readOnly: true,
      handler: async (_args: unknown, call: HandlerContext) => ({
        ...(await readStatus(asker.ask(call), control, machine)),
      }),
    },
    {
      name: "self.audio_speaker.get_volume",
      ...described("system.get_volume"),
      readOnly: true,
      handler: async (_args: unknown, call: HandlerContext) => (await readVolume(asker.ask(call), control)).volume,
    },
    setVolumeTool(asker, control),
    ...applicationTools(settings, context, machine.proc),
  ];
  return { tools, close: async () => asker.close() };
}

function setVolumeTool(asker: Asker, control: string): AnyUserTool {
  const properties = { volume: { type: "integer", minimum: 0, maximum: 100 } } as const;
  const tool: UserTool<typeof properties> = {
    name: "self.audio_speaker.set_volume",
    ...described("system.set_volume"),
    properties,
    handler: async ({ volume }, call) => {
      await setVolume(asker.ask(call), control, volume);
      return say(call.language, "system.volumeSet", { volume });
    },
  };
  return tool;
}
