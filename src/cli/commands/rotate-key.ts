/** `zaguan rotate-key`: stored credentials are sealed anew with the first of the configured secret keys, beside running hubs too. */
import { dirname, resolve } from "node:path";
import { clusterInFile } from "../../config/config-file.ts";
import type { Context } from "../command.ts";
import { EXIT_FAILED } from "../failures.ts";
import { printLine, printNote } from "../output.ts";
import { spinner } from "../progress.ts";
import { configPlace, storePlace } from "../store-place.ts";

export async function run(context: Context): Promise<number> {
  const { world, say } = context;
  const place = { ...(await storePlace(context)), secretFile: await secretFileOf(context) };
  const { rotateKey } = await import("../../compose/rotate-key.ts");
  const progress = spinner(world.stderr, say("cli.rotateKey.working"));
  const { count, unopened } = await rotateKey(place).finally(() => progress.stop());
  printLine(context, count === 0 ? say("cli.rotateKey.none") : say("cli.rotateKey.done", { count }));
  for (const name of unopened) printNote(context, "cli.rotateKey.unopened", { name });
  return unopened.length === 0 ? 0 : EXIT_FAILED;
}

/** The path of `cluster.secretFile`, relative to the folder of the configuration file, as the hub resolves it. */
async function secretFileOf(context: Context): Promise<string | undefined> {
  const file = configPlace(context);
  const written = await clusterInFile("secretFile", file, context.world.env);
  return written && resolve(dirname(file), written);
}
