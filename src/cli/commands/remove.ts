/** `zaguan remove`: takes a server out of the configuration file. */
import { basename } from "node:path";
import { removeServer } from "../../config/edit.ts";
import type { Context } from "../command.ts";
import { configTarget, whatHappensNow } from "../config-target.ts";
import { CommandFailure } from "../failures.ts";

export async function run(context: Context): Promise<number> {
  const [name = ""] = context.operands;
  const target = configTarget(context);
  const file = basename(target.file);
  if (!removeServer(target.file, name)) throw new CommandFailure("cli.remove.none", { name, file });
  context.world.stdout.write(`${context.say("cli.remove.done", { name, file })} ${whatHappensNow(context, target)}\n`);
  return 0;
}
