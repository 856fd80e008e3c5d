/**
 * Seed 003's "Workflow Complet Python", as printed and unchanged but for the address, against a simulated Home Assistant.
 * `seed-003-workflow.py` is the document's text; the document leaves it to the reader to run `main`.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pythonWithHttpx } from "../support/python-with-httpx.ts";
import { runProgram } from "../support/run-program.ts";
import { type OpenHome, openHome } from "../support/seed-003.ts";

const PRINTED_ADDRESS = "http://192.168.1.22:3003";
const WORKFLOW = readFileSync(new URL("../support/seed-003-workflow.py", import.meta.url), "utf8");
const RUN = "\n\nimport asyncio\n\nasyncio.run(main())\n";

const found = await pythonWithHttpx();

describe("Workflow Complet Python", { skip: "missing" in found ? found.missing : false }, () => {
  const python = "python" in found ? found.python : "";
  const folder = mkdtempSync(join(tmpdir(), "zaguan-seed-003-python-"));
  let house: OpenHome;
  before(async () => {
    house = await openHome();
  });
  after(async () => {
    await house?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("finds the entities and switches the lamp on", async () => {
    assert.equal(WORKFLOW.split(PRINTED_ADDRESS).length, 2, "the address stands there once");
    const script = join(folder, "workflow.py");
    writeFileSync(script, WORKFLOW.replace(PRINTED_ADDRESS, house.hub.url) + RUN);
    assert.equal(house.home.state("light.salon_lamp")?.state, "off");
    const { code, stdout, stderr } = await runProgram(python, ["-X", "utf8", script], { cwd: folder });
    assert.equal(code, 0, stderr);
    const [entities, light, ...rest] = stdout.trimEnd().split("\n");
    assert.match(entities ?? "", /^Trouvé [1-9]\d* entités$/);
    assert.match(light ?? "", /^Lumière allumée: \{.*'content': \[.*'isError': False/);
    assert.deepEqual(rest, []);
    assert.equal(house.home.state("light.salon_lamp")?.state, "on");
    const { domain, service } = house.home.services.at(-1) ?? assert.fail("no service was called");
    assert.deepEqual([domain, service], ["light", "turn_on"]);
  });
});
