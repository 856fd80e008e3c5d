/** `zaguan completion`: a script for a shell, written from the table of commands. */
import type { Context } from "../command.ts";
import { bashCompletion } from "../completion/bash.ts";
import { fishCompletion } from "../completion/fish.ts";
import { zshCompletion } from "../completion/zsh.ts";
import { COMMANDS } from "./index.ts";

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

export async function run(context: Context): Promise<number> {
  const shell = context.operands[0] as keyof typeof SHELLS;
  context.world.stdout.write(SHELLS[shell](COMMANDS, context.say));
  return 0;
}
