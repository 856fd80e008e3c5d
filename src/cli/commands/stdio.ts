/** `zaguan stdio`: the hub for the one client that started us, on stdin and stdout. Prints nothing of its own. */
import type { Context } from "../command.ts";
import { UsageError } from "../failures.ts";
import { isGiven, serveOptions, textOption } from "../options.ts";
import { untilStopped } from "../stopping.ts";

export async function run(context: Context): Promise<number> {
  const [source, agent] = [textOption(context, "server"), textOption(context, "agent")];
  if (source !== undefined && agent !== undefined) {
    throw new UsageError("cli.usage.together", { one: "--server", other: "--agent" }, "stdio");
  }
  const line = isGiven(context, "line");
  // The line protocol speaks Spanish, as seed 000 does, unless somebody asks for another language.
  const language = line && !context.languageGiven ? "es" : context.language;
  const serve = serveOptions(context);
  const { openZaguan, serveOwnStdio } = await import("../../zaguan.ts");
  const zaguan = await openZaguan({ serve, env: context.world.env, http: false, ownsProcess: true });
  try {
    await untilStopped(context.world.env, () => serveOwnStdio(zaguan, { line, language, source, agent }));
  } finally {
    await zaguan.close();
  }
  return 0;
}
