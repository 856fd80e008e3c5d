/** `zaguan serve`: opens the hub on its port, greets, and stays until a signal. */
import { loadConfig } from "../../config/config-file.ts";
import type { Context } from "../command.ts";
import { greeting } from "../greeting.ts";
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
