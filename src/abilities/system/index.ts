/**
 * This machine itself: its state, the volume of its speaker, its applications. Starting and ending applications are
 * dangerous in the hands of whoever talks to a model, and each has a switch of its own.
 */
import { cpus, freemem, loadavg, totalmem, uptime } from "node:os";
import { say } from "../../messages/catalogue.ts";
import { defineTool } from "../../user-tools/define.ts";
import type { AnyUserTool, HandlerContext } from "../../user-tools/tool.ts";
import type { Ability, AbilityContext, OpenAbility } from "../ability.ts";
import { Asker, type Asking } from "../shared/programs.ts";
import { described } from "../shared/tools.ts";
import { applicationTools } from "./applications.ts";
import { type Battery, type Network, readBattery, readNetwork, readTemperature } from "./readings.ts";
import { readVolume, setVolume, type Volume } from "./volume.ts";

export interface SystemSettings {
  /** Offers `self.application.launch`. @default false */
  readonly allowLaunch?: boolean | undefined;
  /** Offers `self.application.kill`. @default false */
  readonly allowKill?: boolean | undefined;
  /**
   * Programs that may be started beside the installed applications: by name, the command and its arguments. They are
   * started as they stand here, without a shell. @default {}
   */
  readonly applications?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The control that ALSA's `amixer` turns. @default "Master" */
  readonly mixerControl?: string | undefined;
}

/** Where the kernel tells about the machine; elsewhere in tests. */
interface Machine {
  readonly sys: string;
  readonly proc: string;
}

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
  return defineTool({
    name: "self.audio_speaker.set_volume",
    ...described("system.set_volume"),
    properties: { volume: { type: "integer", minimum: 0, maximum: 100 } },
    handler: async ({ volume }, call) => {
      await setVolume(asker.ask(call), control, volume);
      return say(call.language, "system.volumeSet", { volume });
    },
  });
}

/** `self.get_device_status`: the shape that devices of this family use, with what a computer adds. */
interface DeviceStatus {
  readonly audio_speaker?: Volume;
  readonly battery?: Battery;
  readonly network?: Network;
  readonly chip?: { readonly temperature: number };
  readonly load?: {
    readonly one: number;
    readonly five: number;
    readonly fifteen: number;
    readonly processors: number;
  };
  readonly memory: { readonly total_mb: number; readonly available_mb: number };
  readonly uptime_seconds: number;
}

const MEBIBYTE = 1_048_576;

async function readStatus(asking: Asking, control: string, { sys, proc }: Machine): Promise<DeviceStatus> {
  const [volume, battery, network, temperature] = await Promise.all([
    readVolume(asking, control).catch(() => undefined),
    readBattery(sys),
    readNetwork(sys, proc, asking),
    readTemperature(sys),
  ]);
  return {
    ...(volume && { audio_speaker: volume }),
    ...(battery && { battery }),
    ...(network && { network }),
    ...(temperature !== undefined && { chip: { temperature } }),
    ...readLoad(),
    memory: { total_mb: Math.round(totalmem() / MEBIBYTE), available_mb: Math.round(freemem() / MEBIBYTE) },
    uptime_seconds: Math.round(uptime()),
  };
}

/** Windows has no load average: Node gives zeros there. */
function readLoad(): Pick<DeviceStatus, "load"> {
  if (process.platform === "win32") return {};
  const [one = 0, five = 0, fifteen = 0] = loadavg().map((load) => Math.round(load * 100) / 100);
  return { load: { one, five, fifteen, processors: cpus().length } };
}
