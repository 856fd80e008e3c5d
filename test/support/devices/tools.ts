/** Tools as devices have them: properties of three kinds, and a callback. What both kinds of device make of them differs. */

export interface DeviceProperty {
  readonly type: "boolean" | "integer" | "string";
  /** A property without one is required. */
  readonly default?: boolean | number | string;
  readonly minimum?: number;
  readonly maximum?: number;
}

export type DeviceArguments = Readonly<Record<string, unknown>>;
/** A picture is what only firmware gives. */
export type Outcome = boolean | number | string | { readonly mimeType: string; readonly data: string };

export interface DeviceTool {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, DeviceProperty>>;
  /** Only for people: firmware hides it from models. */
  readonly userOnly?: boolean;
  /** What it throws is the device's own failure. */
  run(args: DeviceArguments): Outcome | Promise<Outcome>;
}

export function tool(
  name: string,
  properties: DeviceTool["properties"],
  run: DeviceTool["run"],
  more: Partial<Pick<DeviceTool, "description" | "userOnly">> = {},
): DeviceTool {
  return { name, description: `What ${name} does`, properties, run, ...more };
}

export function requiredOf(properties: DeviceTool["properties"]): string[] {
  return Object.keys(properties).filter((name) => properties[name]?.default === undefined);
}

/** The one-pixel picture of a camera that sees nothing. */
export const PHOTO = { mimeType: "image/jpeg", data: "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////2Q==" };

const PERCENT = { type: "integer", minimum: 0, maximum: 100 } as const;

/** What a voice box of the firmware's kind has; its volume is its own. */
export function voiceBoxTools(): DeviceTool[] {
  let volume = 70;
  const status = (): string =>
    JSON.stringify({
      audio_speaker: { volume },
      screen: { brightness: 75, theme: "light" },
      network: { type: "wifi" },
    });
  const setVolume = ({ volume: wanted }: DeviceArguments): boolean => {
    volume = wanted as number;
    return true;
  };
  return [
    tool("self.get_device_status", {}, status, { description: "Provides the real-time information of the device" }),
    tool("self.audio_speaker.set_volume", { volume: PERCENT }, setVolume),
    tool("self.screen.set_brightness", { brightness: PERCENT }, ({ brightness }) => brightness as number),
    tool("self.screen.set_theme", { theme: { type: "string" } }, ({ theme }) => `主题: ${theme}`),
    tool("self.camera.take_photo", { question: { type: "string" } }, () => PHOTO),
    tool("self.reboot", {}, () => true, { userOnly: true }),
    tool("self.get_system_info", {}, () => "{}", { userOnly: true }),
  ];
}

/** The seed's example, as a device has it: 「发送已保存的红外编码」. */
export function infraredTool(run: DeviceTool["run"] = () => "发送成功（无回复）"): DeviceTool {
  return tool("self.ir.send_named", { name: { type: "string" } }, run, { description: "发送已保存的红外编码" });
}

/** So many tools, each about `bytes` long in a list. */
export function manyTools(count: number, bytes = 300, prefix = "self.many"): DeviceTool[] {
  return Array.from({ length: count }, (_, place) => {
    const name = `${prefix}.${String(place).padStart(4, "0")}`;
    return tool(name, { word: { type: "string", default: "" } }, ({ word }) => `${name} ${word}`, {
      description: "x".repeat(bytes),
    });
  });
}
