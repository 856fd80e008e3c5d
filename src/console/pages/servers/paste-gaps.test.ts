/** What other clients fill in by themselves. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are what people paste
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PastedServer } from "./paste.ts";
import { filledIn, gapsIn } from "./paste-gaps.ts";

const SERVER: PastedServer = {
  name: "x",
  baseUrl: undefined,
  command: "${HOME}/bin/x",
  args: ["--dir", "${workspaceFolder}", "<file>"],
  env: { KEY: "<YOUR_API_KEY>", TOKEN: "$MY_TOKEN", LEVEL: "${LEVEL:-2}", PRICE: "$5 and {env:A}" },
  headers: { Authorization: "Bearer ${input:pat}" },
  isOff: false,
  notes: [],
};

test("every place is found once, with what it is called and what stands there otherwise", () => {
  const gaps = gapsIn([SERVER, SERVER], [{ id: "pat", description: "Access token", default: "none" }]);
  assert.deepEqual(
    gaps.map(({ token, label, secret, otherwise }) => [token, label, secret, otherwise]),
    [
      ["${HOME}", "HOME", false, ""],
      ["${workspaceFolder}", "workspaceFolder", false, ""],
      ["<YOUR_API_KEY>", "YOUR_API_KEY", true, ""],
      ["$MY_TOKEN", "MY_TOKEN", true, ""],
      ["${LEVEL:-2}", "LEVEL", false, "2"],
      ["{env:A}", "A", false, ""],
      ["${input:pat}", "Access token", true, "none"],
    ],
  );
});

test("what is given takes its place, what is not stays visible", () => {
  const filled = filledIn(SERVER, {
    "${HOME}": "/home/me",
    "<YOUR_API_KEY>": "k$&",
    $MY_TOKEN: "t",
    "${input:pat}": "p",
  });
  assert.equal(filled.command, "/home/me/bin/x");
  assert.deepEqual(filled.args, ["--dir", "${workspaceFolder}", "<file>"]);
  assert.deepEqual(filled.env, { KEY: "k$&", TOKEN: "t", LEVEL: "${LEVEL:-2}", PRICE: "$5 and {env:A}" });
  assert.deepEqual(filled.headers, { Authorization: "Bearer p" });
  assert.equal(filled.baseUrl, undefined);
});
