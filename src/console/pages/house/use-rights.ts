/** Which switches of the simulated house the caller may use: a key for some tools only may look without touching. */
import { send } from "../../kit/api.ts";
import { me } from "../../kit/live.ts";
import { useStore } from "../../kit/store.ts";
import { useLoad } from "../../kit/use-load.ts";

interface Rights {
  readonly lamps: boolean;
  readonly alarm: boolean;
}

interface Listed {
  readonly result?: { readonly tools?: readonly { readonly name: string }[] };
}

const ALL: Rights = { lamps: true, alarm: true };

/** Everything, until it is known that it is less: the hub has the last word anyway. */
export function useRights(): Rights {
  const isLimited = useStore(me)?.limited === true;
  const { value } = useLoad(async (signal) => (isLimited ? readRights(signal) : ALL), [isLimited]);
  return value ?? ALL;
}

async function readRights(signal: AbortSignal): Promise<Rights> {
  const body = { jsonrpc: "2.0", id: 0, method: "tools/list" };
  const { result } = await send<Listed>("POST", "/mcp", { body, signal, headers: { accept: "application/json" } });
  const names = new Set(result?.tools?.map(({ name }) => name));
  // Where another server has the name, the house's tool is listed under its full one.
  const may = (tool: string): boolean => names.has(tool) || names.has(`house__${tool}`);
  return { lamps: may("set_light_state"), alarm: may("set_alarm_state") };
}
