/** Infrared over a serial port: codes that are sent, learned, and kept as files. */
import type { Ability } from "../ability.ts";
import { CodeFolder } from "./code-folder.ts";
import { Learning } from "./learning.ts";
import { ModuleUser } from "./module-user.ts";
import { baudOf, type InfraredSettings, portOf } from "./settings.ts";
import { infraredTools } from "./tools.ts";

export type { InfraredSettings } from "./settings.ts";

export const infrared: Ability<InfraredSettings> = {
  name: "infrared",
  async open(settings, context) {
    const { clock, env } = context;
    const log = (line: string): void => context.log(line);
    const folder = new CodeFolder(settings.folder, log);
    const port = { port: portOf(settings, env), baud: baudOf(settings, env), path: env["PATH"] };
    const module = new ModuleUser(port, clock);
    const learning = new Learning(module, folder, log);
    return {
      tools: infraredTools({ folder, module, learning, form: settings.learning ?? "wait" }),
      async close() {
        await module.close();
        await learning.settled();
      },
    };
  },
};
