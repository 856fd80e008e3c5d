/** The official inspector's command line, as somebody at a terminal runs it. */
import assert from "node:assert/strict";
import process from "node:process";
import { modulePath } from "./official-servers.ts";
import { type Ran, run } from "./run.ts";

const INSPECTOR = modulePath("@modelcontextprotocol/inspector/clients/launcher/build/index.js");

/** It keeps files of its own in the home folder. */
export class Inspector {
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  /** The result of something that must go well. */
  async ask<Result>(...words: readonly string[]): Promise<Result> {
    const ran = await this.run(...words);
    assert.equal(ran.code, 0, ran.stderr);
    return resultOf<Result>(ran);
  }

  run(...words: readonly string[]): Promise<Ran> {
    const args = [INSPECTOR, "--cli", ...words, "--format", "json"];
    return run(process.execPath, args, { cwd: this.#home, env: { HOME: this.#home } });
  }
}

export function resultOf<Result>({ stdout }: Ran): Result {
  return (JSON.parse(stdout) as { result: Result }).result;
}
