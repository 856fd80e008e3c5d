/** `zaguan serve`: opens the hub on its port, tells how to connect to it, and stays until a signal. */
import { loadConfig } from "../../config/config-file.ts";
import type { ZaguanConfig } from "../../config/types.ts";
import { isLoopbackIdentity } from "../../security/addresses.ts";
import { NAME, VERSION } from "../../version.ts";
import type { Context, Say } from "../command.ts";
import { serveOptions } from "../options.ts";
import { listenForStop } from "../stopping.ts";

export async function run(context: Context): Promise<number> {
  const { world, say } = context;
  const serve = serveOptions(context);
  const config = await loadConfig(serve.configFile, world.env);
  const stopping = listenForStop(world.env);
  // Only now, so that wrong usage is told without loading the hub.
  const { openZaguan } = await import("../../zaguan.ts");
  const zaguan = await openZaguan({ serve, env: world.env, http: true, ownsProcess: true });
  world.stdout.write(greeting({ url: zaguan.url ?? "", host: serve.host, config }, say));
  await stopping.asked;
  world.stderr.write(`${say("cli.serve.stopping")}\n`);
  await zaguan.close();
  stopping.release();
  return 0;
}

const INDENT = "  ";
const KEY_PLACEHOLDER = "Bearer YOUR_KEY";

interface Greeted {
  readonly url: string;
  readonly host: string;
  readonly config: ZaguanConfig;
}

/** The hub's address, and lines to paste into clients. */
export function greeting({ url, host, config }: Greeted, say: Say): string {
  const needsKey = !isLoopbackIdentity({ host, ...config.auth });
  const lamp = config.devices.house === false ? undefined : config.devices.house.lights[0];
  const parts = [
    say("cli.serve.open", { name: NAME, version: VERSION, url }),
    section(say("cli.serve.paste"), clientEntry(url, needsKey)),
    section(say("cli.serve.claude"), claudeLine(url, needsKey)),
    lamp === undefined ? "" : section(say("cli.serve.try"), curlLine(url, lamp, needsKey)),
    needsKey ? say("cli.serve.key") : "",
    say("cli.serve.stop"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function section(title: string, line: string): string {
  return `${title}\n${INDENT}${line}`;
}

function clientEntry(url: string, needsKey: boolean): string {
  const headers = needsKey ? { headers: { Authorization: KEY_PLACEHOLDER } } : {};
  return JSON.stringify({ mcpServers: { [NAME]: { url: `${url}/mcp`, ...headers } } });
}

function claudeLine(url: string, needsKey: boolean): string {
  const header = needsKey ? ` --header "Authorization: ${KEY_PLACEHOLDER}"` : "";
  return `claude mcp add --transport http ${NAME} ${url}/mcp${header}`;
}

function curlLine(url: string, lamp: string, needsKey: boolean): string {
  const params = { name: "set_light_state", arguments: { name: lamp, on: true } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }).replaceAll("'", "\\u0027");
  const header = needsKey ? ` -H 'Authorization: ${KEY_PLACEHOLDER}'` : "";
  return `curl ${url}/mcp -H 'Content-Type: application/json'${header} -d '${body}'`;
}
