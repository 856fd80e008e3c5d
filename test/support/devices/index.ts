/** Devices of the xiaozhi family and their far ends, as the real things behave on the wire. */
export { type BrokerLink, CloudBroker } from "./broker.ts";
export type { Device, DeviceOptions, Misbehaviour } from "./device.ts";
export { CALLERS_HELLO, DeviceSocket, HELLO, newDeviceId, type SocketOptions } from "./device-socket.ts";
export { dialFirmware, type FirmwareDevice, type FirmwareOptions } from "./firmware.ts";
export { type Form, Frames, type Kept } from "./frames.ts";
export { dialPyXiaozhi, type PyXiaozhi, type PyXiaozhiOptions } from "./py-xiaozhi.ts";
export { EVICTED, Relay, Robot } from "./relay.ts";
export { DEVICE_FRAMES, SERVER_FRAMES, SOUND_FRAMES, STRANGE_FRAMES } from "./sound.ts";
export { type DeviceTool, infraredTool, manyTools, PHOTO, tool, voiceBoxTools } from "./tools.ts";
export { NO_REASON, type ServerLink, XiaozhiServer } from "./xiaozhi-server.ts";
