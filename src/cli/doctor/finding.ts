/** What one check of the doctor found. */
import type { ServeOptions } from "../../config/types.ts";
import type { Say, World } from "../command.ts";

export interface Finding {
  readonly ok: boolean;
  readonly text: string;
  /** What to do; only where something is wrong. */
  readonly advice?: string;
}

export interface Patient {
  readonly serve: ServeOptions;
  readonly env: World["env"];
  readonly key: string | undefined;
  readonly say: Say;
}

export interface Check {
  /** What is looked at, in a word, while it is looked at. */
  readonly label: string;
  run(): Promise<readonly Finding[]>;
}

export function well(text: string): Finding {
  return { ok: true, text };
}

export function ill(text: string, advice: string): Finding {
  return { ok: false, text, advice };
}
