/** What every call of one ability shares: the variables of its programs, and that they end when the ability is closed. */

import { anyOf, LightAbort } from "../../light-abort.ts";
import type { HandlerContext } from "../../user-tools/tool.ts";
import { desktopEnvironment } from "./desktop-environment.ts";
import type { Asking } from "./programs.ts";

export class Asker {
  readonly env: Readonly<Record<string, string>>;
  readonly #closing = new LightAbort();

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.env = desktopEnvironment(env);
  }

  ask({ language, signal }: HandlerContext): Asking {
    return { language, signal: anyOf(signal, this.#closing), env: this.env };
  }

  close(): void {
    this.#closing.abort(new Error("closed"));
  }
}
