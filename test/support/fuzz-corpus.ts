/** Good messages for the mutator: what real clients send to each door. `n` makes ids and texts differ. */
type Message = Record<string, unknown>;

const rpc = (rest: Message): Message => ({ jsonrpc: "2.0", ...rest });
const call = (id: unknown, name: string, args: Message, more: Message = {}): Message =>
  rpc({ id, method: "tools/call", params: { name, arguments: args, ...more } });

export const RPC_CORPUS: readonly ((n: number) => Message)[] = [
  (n) => call(n, "set_light_state", { name: "salon", on: n % 2 === 0 }),
  (n) => call(`s${n}`, "get_all_states", {}),
  (n) => call(`p${n}`, "list_lights_on", {}, { _meta: { progressToken: `token${n}` } }),
  (n) => call(n, "set_alarm_state", { armed: true, extra: { deep: [1, { er: null }] } }),
  (n) => call(`ñ ${n} 灯`, "no_such_tool", { text: "ünïcödé 😀 \u2028" }),
  (n) => call(n, "house__get_presence", {}),
  (n) => rpc({ id: n, method: "tools/list", params: {} }),
  (n) => rpc({ id: `l${n}`, method: "tools/list", params: { cursor: "set_light_state" } }),
  (n) => rpc({ id: n, method: "ping" }),
  (n) => rpc({ id: `m${n}`, method: "no/such/method", params: [1, 2, 3] }),
  (n) => rpc({ id: n, method: "initialize", params: initialization("2025-11-25") }),
  (n) => rpc({ id: n, method: "initialize", params: initialization("1999-01-01") }),
  () => rpc({ method: "notifications/initialized" }),
  () => rpc({ method: "notifications/cancelled", params: { requestId: "nobody's", reason: "changed my mind" } }),
  (n) => rpc({ id: n, result: { content: [] } }),
  (n) => rpc({ id: n, error: { code: -1, message: "no" } }),
];

export const LINE_CORPUS: readonly ((n: number) => Message)[] = [
  (n) => ({ type: "call", id: n, tool: "set_light_state", args: { name: "cocina", on: n % 2 === 0 } }),
  (n) => ({ type: "call", id: `s${n}`, tool: "get_all_states", args: {} }),
  (n) => ({ type: "call", id: n, tool: "list_lights_on" }),
  (n) => ({ type: "call", id: { n }, tool: "get_presence", args: {} }),
  (n) => ({ type: "call", id: [n, "x"], tool: "set_alarm_state", args: { armed: false } }),
  (n) => ({ type: "call", id: n, tool: "herramienta ñ 灯", args: { "😀": "\u2028" } }),
  (n) => ({ type: "call", id: n, tool: "set_light_state", args: { name: "inexistente" } }),
  (n) => ({ type: "list", id: n }),
];

function initialization(protocolVersion: string): Message {
  return { protocolVersion, capabilities: {}, clientInfo: { name: "fuzz", version: "0" } };
}
