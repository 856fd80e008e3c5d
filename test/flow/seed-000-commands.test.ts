/**
 * Seed 000's other forms over the real command: the simulator's commands, whose house is kept in the data folder, and
 * the original's `config.yaml`. What they print is for people; only its meaning is checked.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { runZaguan, type Said } from "../support/run-zaguan.ts";
import { assertAnswers, callLine, errorLine, houseWith, LIGHTS, resultLine, Simulators } from "../support/seed-000.ts";

const simulators = new Simulators();
after(() => simulators.close());

describe("zaguan simulate", () => {
  const folder = simulators.newFolder();
  const simulate = (...words: readonly string[]): Promise<Said> =>
    runZaguan(["simulate", ...words, "--data", join(folder, "house")], folder);

  /** What a command that succeeds prints. */
  async function said(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await simulate(...words);
    assert.deepEqual([code, stderr], [0, ""], `simulate ${words.join(" ")}: ${stdout}${stderr}`);
    return stdout;
  }

  it("shows the whole house with `status`", async () => {
    const status = await said("status");
    for (const light of LIGHTS) assert.match(lineOf(status, light), /apagada/i);
    assert.match(status, /alarma.*desarmada/is);
    assert.match(status, /presencia.*nadie/is);
  });

  it("switches lights, and finds them so in the next invocation", async () => {
    assert.match(await said("lights", "on", "salon"), /salon.*encendida/i);
    assert.match(await said("lights", "on", "garage"), /garage.*encendida/i);
    assert.match(await said("lights", "off", "garage"), /garage.*apagada/i);
    const list = await said("lights", "list");
    assert.match(lineOf(list, "salon"), /encendida/i);
    for (const light of LIGHTS.slice(1)) assert.match(lineOf(list, light), /apagada/i);
  });

  it("refuses a light that is not there with code 1, by name, and says which are", async () => {
    for (const state of ["on", "off"]) {
      const { code, stdout, stderr } = await simulate("lights", state, "piscina");
      assert.equal(code, 1);
      assert.match(stdout + stderr, /piscina/);
      for (const light of LIGHTS) assert.ok((stdout + stderr).includes(light));
      assertNoStack(stdout + stderr);
    }
  });

  it("arms and disarms the alarm", async () => {
    assert.match(await said("alarm", "on"), /\barmada/i);
    assert.match(await said("status"), /alarma\W+armada/i);
    assert.match(await said("alarm", "off"), /desarmada/i);
    assert.match(await said("status"), /alarma\W+desarmada/i);
  });

  it("sets, shows and clears who is at home", async () => {
    await said("presence", "set", "Carlos", "Ana María", "José");
    const shown = await said("presence", "show");
    for (const person of ["Carlos", "Ana María", "José"]) assert.ok(shown.includes(person), shown);
    assert.match(await said("presence", "clear"), /nadie/i);
    assert.doesNotMatch(await said("presence", "show"), /Carlos|Ana|José/);
  });

  it("shares its house with `--mcp` when both are given the folder", async () => {
    const args = ["simulate", "--mcp", "--data", join(folder, "house")];
    const session = await simulators.ready({ folder, args });
    await assertAnswers(session, [
      [callLine(1, "get_all_states", {}), resultLine(1, houseWith("salon"))],
      [callLine(2, "set_light_state", { name: "bano", on: true }), resultLine(2, { ok: true })],
    ]);
    assert.deepEqual(await session.end(), { code: 0, rest: [], stderr: "" });
    assert.match(lineOf(await said("lights", "list"), "bano"), /encendida/i);
  });

  it("answers wrong usage with one line on stderr and code 2", async () => {
    const wrong = [["lights"], ["lights", "on"], ["lights", "toggle", "salon"], ["alarm"], ["alarm", "maybe"]];
    for (const words of [[], ["fiesta"], ["presence"], ["presence", "set"], ["--mcp", "status"], ...wrong]) {
      const { code, stdout, stderr } = await simulate(...words);
      assert.deepEqual([code, stdout], [2, ""], `simulate ${words.join(" ")}`);
      assert.match(stderr, /^[^\n]+\n$/);
      assertNoStack(stderr);
    }
  });
});

describe("the original's config.yaml", () => {
  const folder = simulators.newFolder();
  const original = [
    "lights:",
    "  - salon",
    "  - cocina",
    "  - dormitorio",
    "  - bano",
    "  - garage",
    "",
    "alarm_default: false",
    "",
    "presence_default:",
    "  present: false",
    "  known_people: []",
    "",
  ];
  const another = [
    "lights:",
    "  - living",
    "  - kitchen",
    "  - garden",
    "",
    "alarm_default: true",
    "",
    "presence_default:",
    "  present: true",
    "  known_people:",
    "    - John",
    "    - Jane",
    "",
  ];
  const anotherHouse = {
    lights: { living: false, kitchen: false, garden: false },
    alarm: true,
    presence: { present: true, known_people: ["John", "Jane"] },
  };
  writeFileSync(join(folder, "config.yaml"), original.join("\n"));
  writeFileSync(join(folder, "another.yaml"), another.join("\n"));
  writeFileSync(join(folder, "few.yaml"), "lights: [una]\n");

  const houses: readonly (readonly [options: readonly string[], house: object])[] = [
    [["--mcp", "--config", "config.yaml"], houseWith()],
    [["--mcp", "--config", "another.yaml"], anotherHouse],
    [["--mcp=stdio", "--config=another.yaml"], anotherHouse],
    [["--config", join(folder, "few.yaml"), "--mcp"], { ...houseWith(), lights: { una: false } }],
  ];
  for (const [options, house] of houses) {
    it(`is read as \`${options.map((word) => word.replace(`${folder}/`, "…/")).join(" ")}\``, async () => {
      const session = await simulators.ready({ folder, args: ["simulate", ...options] });
      await assertAnswers(session, [[callLine(1, "get_all_states", {}), resultLine(1, house)]]);
      assert.deepEqual(await session.end(), { code: 0, rest: [], stderr: "" });
    });
  }

  it("decides which lights there are", async () => {
    const session = await simulators.ready({ folder, args: ["simulate", "--mcp", "--config", "another.yaml"] });
    await assertAnswers(session, [
      [callLine(1, "set_light_state", { name: "salon", on: true }), errorLine(1, "Luz 'salon' no encontrada")],
      [callLine(2, "set_light_state", { name: "garden", on: true }), resultLine(2, { ok: true })],
      [callLine(3, "set_light_state", { name: "living", on: true }), resultLine(3, { ok: true })],
      [callLine(4, "list_lights_on", {}), resultLine(4, { on: ["living", "garden"] })],
    ]);
    await session.end();
  });

  it("goes with the commands too, before or after them", async () => {
    const data = ["--data", join(folder, "house")];
    const words = [
      ["--config", "another.yaml", "status", ...data],
      ["status", "--config=another.yaml", ...data],
    ];
    for (const args of words) {
      const { code, stdout } = await runZaguan(["simulate", ...args], folder);
      assert.equal(code, 0);
      assert.match(stdout, /living.*kitchen.*garden.*alarma\W+armada.*John.*Jane/is);
    }
  });

  it("is made if it is missing, as the original does; the word about it is no line of the protocol", async () => {
    const args = ["simulate", "--mcp", "--config", "nueva.yaml"];
    const session = await simulators.ready({ folder, args });
    await assertAnswers(session, [[callLine(1, "get_all_states", {}), resultLine(1, houseWith())]]);
    const { code, rest, stderr } = await session.end();
    assert.deepEqual([code, rest], [0, []]);
    assert.match(stderr, /Archivo de configuración no encontrado\. Creando nueva\.yaml/);
    assert.ok(existsSync(join(folder, "nueva.yaml")));
    for (const light of LIGHTS) assert.ok(readFileSync(join(folder, "nueva.yaml"), "utf8").includes(light));
  });

  it("is refused in one line when it is broken, and nothing is served", async () => {
    writeFileSync(join(folder, "broken.yaml"), "lights: [salon\n");
    for (const args of [["--mcp"], ["status", "--data", join(folder, "house")]]) {
      const { code, stdout, stderr } = await runZaguan(["simulate", ...args, "--config", "broken.yaml"], folder);
      assert.ok(code !== 0 && code !== null, `code ${code}`);
      assert.equal(stdout, "");
      assert.match(stderr, /^[^\n]*broken\.yaml[^\n]*\n$/);
      assertNoStack(stderr);
    }
  });
});

/** The line that tells of a light. */
function lineOf(text: string, light: string): string {
  return text.split("\n").find((line) => new RegExp(`\\b${light}\\b`).test(line)) ?? `no line about ${light}`;
}

function assertNoStack(text: string): void {
  assert.doesNotMatch(text, /^\s+at |node:internal|\.ts:\d/m);
}
