/** What scripts/home-assistant.ts says of a machine that lacks something, and of a list that nobody can install. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { cleanEnvironment } from "../support/spawn-zaguan.ts";

const SCRIPT = fileURLToPath(new URL("../../scripts/home-assistant.ts", import.meta.url));
/** As npm runs it before the tests, and then as a test asks. */
const ASK = `console.log(JSON.stringify((await import(${JSON.stringify(SCRIPT)})).installed()))`;

describe("installing Home Assistant", () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), "zaguan-installing-"))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("says that it was never tried", async () => {
    assert.match((await ask({})).stdout, /"ok":false,"reason":".*npm run test:home-assistant/);
  });

  test("is no failure without Python 3.11, and the reason is kept", async () => {
    const without = { PATH: folder };
    assert.equal((await run([SCRIPT], without)).code, 0);
    assert.match((await ask(without)).stdout, /"ok":false,"reason":"there is no Python 3\.11/);
  });

  const hasPython = spawnSync("python3.11", ["-c", "import ensurepip"]).status === 0;
  describe("with Python", { skip: hasPython ? false : "no python3.11 here" }, () => {
    test("is no failure where PyPI cannot be reached, and the reason is kept", async () => {
      // Port 9 of loopback: nobody is there.
      const { code, stderr } = await run([SCRIPT], { PIP_INDEX_URL: "http://127.0.0.1:9/simple" });
      assert.equal(code, 0, stderr);
      assert.match((await ask({})).stdout, /"ok":false,"reason":"PyPI cannot be reached \(NewConnectionError\)"/);
    });

    test("is a failure where a version of the list is not to be had", async () => {
      const index = createServer((_, answer) => {
        answer.setHeader("content-type", "text/html");
        answer.end('<a href="homeassistant-1.0-py3-none-any.whl">homeassistant-1.0-py3-none-any.whl</a>');
      });
      index.listen(0, "127.0.0.1");
      await once(index, "listening");
      try {
        const { port } = index.address() as AddressInfo;
        const { code, stderr } = await run([SCRIPT], { PIP_INDEX_URL: `http://127.0.0.1:${port}/simple` });
        assert.equal(code, 1);
        assert.match(stderr, /No matching distribution found for homeassistant==2024\.3\.3/);
      } finally {
        index.closeAllConnections();
        index.close();
      }
    });
  });

  function ask(env: Readonly<Record<string, string>>): Promise<Ran> {
    return run(["--input-type=module", "--eval", ASK], env);
  }

  async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
    const child = spawn(process.execPath, args, {
      env: cleanEnvironment({ ZAGUAN_HOME_ASSISTANT: folder, PIP_EXTRA_INDEX_URL: "", ...env }),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { code: code as number | null, stdout, stderr };
  }
});

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
