/**
 * Runs the test files that `TEST_FILES` names, one in each line, one after another in this process; for `scripts/test.ts`.
 * Each file is a suite: hooks that it has outside of every `describe` run around its own tests only.
 */

import { relative } from "node:path";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";

const files = process.env["TEST_FILES"]?.split("\n") ?? [];
// What tests start is none of its business.
delete process.env["TEST_FILES"];

for (const file of files) {
  describe(relative("", file), async () => {
    await import(pathToFileURL(file).href);
  });
}
