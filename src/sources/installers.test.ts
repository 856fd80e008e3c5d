import assert from "node:assert/strict";
import { it } from "node:test";
import { mayInstall, startSeconds } from "./installers.ts";

for (const command of ["npx", "/usr/local/bin/npx", "C:\\nodejs\\npx.cmd", "UVX.exe", "docker", "deno"]) {
  it(`${command} may install something, and has ten minutes`, () => {
    assert.deepEqual([mayInstall(command), startSeconds(command)], [true, 600]);
  });
}

for (const command of ["node", "python3", "./npx-like", "/opt/uvx/server", "", undefined]) {
  it(`${command} runs what is there, and has a minute`, () => {
    assert.deepEqual([mayInstall(command), startSeconds(command)], [false, 60]);
  });
}
