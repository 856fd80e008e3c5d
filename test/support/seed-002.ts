/**
 * Seed 002 for its tests: the messages that its document prints, a hub for devices, and what is expected of every
 * answer. Where the documents leave a choice, the choice stands in the first part, once. It knows nothing of the hub's code.
 */
import assert from "node:assert/strict";
import { SessionClient } from "./clients/session-client.ts";
import type { Kept } from "./devices/index.ts";
import type { Message } from "./line-rpc.ts";
import { until } from "./processes.ts";
import { type Answered, RegistryClient } from "./registry-client.ts";
import { askUntil, statusOf } from "./seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "./spawn-zaguan.ts";

// ——— Choices that the documents leave open ———

/** The part of `zaguan.json` that says whom to dial. */
export function xiaozhi(...endpoints: readonly object[]): { readonly xiaozhi: object } {
  return { xiaozhi: { endpoints } };
}

/** A voice cloud that calls us; with an agent, only that agent's tools are served there. */
export function cloud(url: string, agent?: string): object {
  return { url, ...(agent !== undefined && { agent }) };
}

export interface DeviceOfOurs {
  readonly deviceId?: string;
  readonly clientId?: string;
  readonly token?: string;
}

/** A voice server to which we dial as a device. */
export function asDevice(url: string, more: DeviceOfOurs = {}): object {
  return { url, as: "device", ...more };
}

/** A device as a source is called `device-` and its Device-Id, with what no name may have replaced. */
export function sourceNameOf(deviceId: string): string {
  return `device-${deviceId.replace(/[^A-Za-z0-9_.-]/g, "-")}`;
}

/** One row of `xiaozhi` in `GET /mcp/status` for each endpoint, in the order of the configuration. */
export interface EndpointStatus {
  readonly name: string;
  /** Without its token. */
  readonly url: string;
  readonly state: string;
}

export async function endpointStatus(http: RegistryClient): Promise<EndpointStatus[]> {
  return (await statusOf(http))["xiaozhi"] ?? [];
}

export const CONNECTED = "connected";

/** How long a socket of `/xiaozhi/v1/` may be without a hello: "10 s limit". */
export const HELLO_LIMIT_MS = 10_000;

/** No working machine is later than that with what takes 10 s. */
export const LATE_MS = 25_000;

/** A device's frame: what the desktop client itself takes. Others have `limits.bodyBytes`, which is a tenth of it. */
export const DEVICE_FRAME_BYTES = 10 * 1_024 * 1_024;
export const FRAME_BYTES = 1_024 * 1_024;

/** How often a device may be asked for one more page, before somebody must have noticed that they never end. */
export const PAGES_LIMIT = 5_000;

/** The abilities of this machine in `devices` of the configuration: all are off that are not named. */
export const ABILITIES = {
  /** Without what could do harm. */
  system: { system: true },
  /** With the switch for starting and ending programs. */
  applications: { system: { allowLaunch: true, allowKill: true } },
  calendar: { calendar: true },
  timers: { timers: true },
  screenshot: { screenshot: true },
  camera: { camera: true },
  /** Of the file alone: this machine may have sensors of its own. */
  environment: (file: string) => ({ environment: { file, sysfs: `${file}.no-sensors` } }),
  infrared: (folder: string) => ({ infrared: { folder } }),
  music: (folder: string) => ({ music: { folder } }),
  /** A folder as seen from that of the configuration. */
  tools: (folder: string) => ({ tools: folder }),
} as const;

export function abilities(...on: readonly object[]): { readonly devices: object } {
  return { devices: Object.assign({}, ...on) };
}

/** A module of a user's own: what it says, behind the line that gives it `addTool`. */
export function ownModule(body: string): string {
  return `import { addTool } from "zaguan/tools";\n${body}\n`;
}

/** What a user's tool with every kind of property looks like. */
export const OWN_TOOL = `addTool({
  name: "self.demo.hello",
  description: "示例工具：打招呼",
  properties: {
    name: { type: "string", default: "world" },
    times: { type: "integer", minimum: 1, maximum: 3 },
    loud: { type: "boolean", default: false },
  },
  handler: async ({ name, times, loud }) => {
    const text = Array(times).fill(\`Hello, \${name}!\`).join(" ");
    return loud ? text.toUpperCase() : text;
  },
});`;

/** A tool without properties whose handler is these words. */
export function plainTool(name: string, handler: string): string {
  return `addTool({ name: ${JSON.stringify(name)}, description: "x", properties: {}, handler: ${handler} });`;
}

// ——— What the seed prints ———

/** 「工具发现」: the request as printed. */
export const SEED_LIST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

/** The tool of its answer as printed. */
export const SEED_TOOL = {
  name: "self.ir.send_named",
  description: "发送已保存的红外编码",
  inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};

/** 「工具调用」: the request as printed. */
export const SEED_CALL = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "self.ir.send_named", arguments: { name: "tv_power" } },
};

/** 响应（成功） */
export const SEED_SUCCESS = { content: [{ type: "text", text: "发送成功（无回复）" }], isError: false };

/** 响应（失败） */
export const SEED_FAILURE_TEXT = "无法打开串口 /dev/ttyS1: Permission denied";

// ——— A hub for devices ———

export interface OpenHub {
  readonly hub: SpawnedZaguan;
  readonly http: RegistryClient;
  /** Everything that it wrote so far. */
  logged(): string;
}

export interface HubOptions {
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** One that may dial this machine. */
export async function openHub(config: object = {}, { folder, env, args = [] }: HubOptions = {}): Promise<OpenHub> {
  const hub = await spawnZaguan({ config, args: ["--allow-private", ...args], folder, env });
  return { hub, http: new RegistryClient(hub.url), logged: () => hub.stdout() + hub.stderr() };
}

export async function untilListed(http: RegistryClient, ...tools: readonly string[]): Promise<string[]> {
  const areThere = (names: readonly string[]): boolean => tools.every((tool) => names.includes(tool));
  return askUntil(`${tools} are listed`, () => http.names("/mcp"), areThere);
}

export async function untilGone(http: RegistryClient, ...tools: readonly string[]): Promise<string[]> {
  const areGone = (names: readonly string[]): boolean => !tools.some((tool) => names.includes(tool));
  return askUntil(`${tools} are gone`, () => http.names("/mcp"), areGone);
}

/** The definition as a client at `/mcp` gets it. */
export async function definitionOf(http: RegistryClient, name: string): Promise<Message> {
  const { body, text } = await http.rpc("/mcp", "tools/list");
  return (
    body.result.tools.find((tool: Message) => tool.name === name) ??
    assert.fail(`${name} is not in ${text.slice(0, 1_000)}`)
  );
}

/** A client of the hub that hears of changes. */
export class ChangeWatch {
  readonly #client: SessionClient;

  static async open(url: string): Promise<ChangeWatch> {
    const client = await SessionClient.open(`${url}/mcp`);
    await client.listen();
    return new ChangeWatch(client);
  }

  private constructor(client: SessionClient) {
    this.#client = client;
  }

  get count(): number {
    return this.#client.unasked.filter(({ method }) => method === "notifications/tools/list_changed").length;
  }

  async more(than: number): Promise<void> {
    await until("the client is told that the tools have changed", () => this.count > than);
  }

  leave(): void {
    this.#client.leave();
  }
}

// ——— What is expected of an answer ———

/** 「即使出错也通过 result 返回」: the reason is in the text, and where one popular server looks for it. */
export function assertSeedFailure(payload: Message): string {
  const said = JSON.stringify(payload);
  assert.equal(payload?.error, undefined, said);
  const { result } = payload;
  assert.equal(result?.isError, true, said);
  assert.equal(result.content?.[0]?.type, "text", said);
  assert.match(result.content[0].text, /\S/, said);
  assert.equal(result.error, result.content[0].text, said);
  return result.error;
}

/** The reason of a call that failed at an HTTP door, whichever of the two forms it has. */
export function reasonIn({ text, body }: Answered): string {
  const said = text.slice(0, 1_000);
  if (body?.error) {
    assert.ok(Number.isInteger(body.error.code), said);
    return body.error.message;
  }
  assert.equal(body?.result?.isError, true, said);
  return body.result.content[0].text;
}

/** Bytes of what a list's answer holds. */
export function sizeOf(page: Message): number {
  return Buffer.byteLength(JSON.stringify(page));
}

/** An answer in an envelope, whose session is ours or none. */
export function assertEnveloped({ frame, text }: Kept, sessionId: string): void {
  assert.equal(frame?.type, "mcp", text);
  if ("session_id" in frame) assert.ok(["", sessionId].includes(frame.session_id), text);
}

/** @param from where the part of the log begins that counts */
export async function untilNamed({ logged }: OpenHub, from: number, deviceId: string): Promise<void> {
  await until(`the log names ${deviceId}`, () => isNamedIn(logged().slice(from), deviceId));
}

/** @param from where the part of the log begins that counts */
export async function untilWarned({ logged }: OpenHub, from: number, deviceId: string): Promise<void> {
  const isWarning = (line: string): boolean => /"level":"(?:warn|error)"/.test(line) && isNamedIn(line, deviceId);
  await until(`the log warns of ${deviceId}`, () => logged().slice(from).split("\n").some(isWarning));
}

/** What no log of a working hub holds. */
export function assertNothingInner({ hub }: OpenHub): void {
  assert.doesNotMatch(hub.stderr(), /\n {4}at |[Uu]nhandled|TypeError|internal/);
}

function isNamedIn(text: string, deviceId: string): boolean {
  return text.includes(deviceId) || text.includes(sourceNameOf(deviceId));
}
