/** `self.get_device_status`: one JSON object in the shape that devices of this family use, with what a computer adds. */
import { cpus, freemem, loadavg, totalmem, uptime } from "node:os";
import type { Asking } from "../shared/programs.ts";
import { type Network, readNetwork } from "./network.ts";
import { type Battery, readBattery, readTemperature } from "./readings.ts";
import { readVolume, type Volume } from "./volume.ts";

/** Where the kernel tells about the machine; elsewhere in tests. */
export interface Machine {
  readonly sys: string;
  readonly proc: string;
}

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

export async function readStatus(asking: Asking, control: string, { sys, proc }: Machine): Promise<DeviceStatus> {
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

/** Windows has no such thing, and gives zeros. */
function readLoad(): Pick<DeviceStatus, "load"> {
  if (process.platform === "win32") return {};
  const [one = 0, five = 0, fifteen = 0] = loadavg().map((load) => Math.round(load * 100) / 100);
  return { load: { one, five, fifteen, processors: cpus().length } };
}
