/** Infrared over a serial port: codes that are sent, learned, and kept as files. */
import type { Ability } from "../ability.ts";
import { CodeFolder } from "./code-folder.ts";
import { Learning } from "./learning.ts";
import { ModuleUser } from "./module-port.ts";
import { infraredTools } from "./tools.ts";

export interface InfraredSettings {
  /** The serial port. @default the variable IR_SERIAL_PORT, else "/dev/ttyS1" */
  readonly port?: string | undefined;
  /** Bits in a second. @default the variable IR_BAUD, else 115200 */
  readonly baud?: number | undefined;
  /** The folder of `.hex` files and `codes_meta.json`. */
  readonly folder: string;
  /**
   * How `self.ir.learn_external` learns. "wait": it answers when the code is saved, `{"saved","bytes"}`, or fails.
   * "background": it answers at once, `{"status":"started"|"busy","message"}`, and `self.ir.get_learning_result` tells
   * what became of it; for callers who wait less than half a minute for an answer. @default "wait"
   */
  readonly learning?: "wait" | "background" | undefined;
}

const PORT = "/dev/ttyS1";
const BAUD = 115_200;

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

type Environment = Readonly<Record<string, string | undefined>>;

export function portOf({ port }: InfraredSettings, env: Environment): string {
  return port || env["IR_SERIAL_PORT"] || PORT;
}

/** What is no number stays none, and is refused when the port is opened: the tools must be there to say so. */
export function baudOf({ baud }: InfraredSettings, env: Environment): number {
  return baud ?? (env["IR_BAUD"] ? Number(env["IR_BAUD"]) : BAUD);
}
