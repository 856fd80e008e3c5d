/** Tests that need a real Home Assistant: where none is installed, all of them are one skipped line that says why. */
import { describe } from "node:test";
import { installed } from "../../../scripts/home-assistant.ts";

export function describeWithRealHome(name: string, tests: () => void): void {
  const found = installed();
  describe(name, { skip: found.ok ? false : found.reason }, tests);
}
