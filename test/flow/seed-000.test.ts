/**
 * Seed 000 as a test, section by section, over the real `zaguan simulate --mcp`. Written from the documents alone; the
 * quoted lines are the document's own, completed from its context where it writes `...`. What it leaves open is in
 * `seed-000-leniency.test.ts`.
 */
import assert from "node:assert/strict";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  assertAnswers,
  assertSameLine,
  callLine,
  errorLine,
  houseWith,
  idText,
  LIGHTS,
  NOBODY,
  resultLine,
  SIX_TOOLS,
  Simulators,
} from "../support/seed-000.ts";

const simulators = new Simulators();
after(() => simulators.close());

describe("Mensaje `ready`", () => {
  it("comes first and by itself, before any input, with the version and the six tools", async () => {
    const session = simulators.start();
    const ready = JSON.parse(await session.next());
    assert.deepEqual(Object.keys(ready), ["type", "version", "tools"]);
    assert.deepEqual(ready, { type: "ready", version: "0.1.0", tools: SIX_TOOLS });
    for (const tool of ready.tools) {
      assert.deepEqual(Object.keys(tool), ["name", "description", "input_schema", "output_schema"]);
    }
    assert.ok(session.running, "it waits for calls");
    assert.deepEqual(await session.end(), { code: 0, rest: [], stderr: "" });
  });
});

describe("Mensajes `call`, `result`, `error` y `quit`", () => {
  it("are as their formats show; `quit` gets no reply, ends it with code 0, and what follows is not served", async () => {
    const session = await simulators.ready();
    await assertAnswers(session, [
      [callLine(1, "set_light_state", { name: "salon", on: true }), resultLine(1, { ok: true })],
      [
        callLine(1, "set_light_state", { name: "inexistente", on: true }),
        errorLine(1, "Luz 'inexistente' no encontrada"),
      ],
    ]);
    session.write(`${callLine(2, "get_presence", {})}\n{"type":"quit"}\n${callLine(3, "get_presence", {})}\n`);
    assertSameLine(await session.next(), resultLine(2, NOBODY));
    assert.deepEqual(await session.gone(), { code: 0, rest: [], stderr: "" }, "with its input still open");
  });
});

describe("Tools Disponibles", () => {
  it("answer as their examples show, in a house where these hold", async () => {
    const folder = simulators.newFolder();
    const people = { present: true, known_people: ["Carlos", "Ana"] };
    writeFileSync(join(folder, "casa.json"), JSON.stringify({ lights: LIGHTS, presence_default: people }));
    const session = await simulators.ready({ folder, args: ["simulate", "--mcp", "--config", "casa.json"] });
    const lights = { salon: true, cocina: false, dormitorio: false, bano: false, garage: true };
    await assertAnswers(session, [
      [callLine(1, "get_presence", {}), resultLine(1, people)],
      [callLine(2, "set_alarm_state", { armed: true }), resultLine(2, { ok: true })],
      [callLine(3, "get_alarm_status", {}), resultLine(3, { armed: true })],
      [callLine(4, "set_light_state", { name: "cocina", on: true }), resultLine(4, { ok: true })],
      [callLine(5, "set_light_state", { name: "salon", on: true }), resultLine(5, { ok: true })],
      [callLine(6, "list_lights_on", {}), resultLine(6, { on: ["salon", "cocina"] })],
      [callLine(7, "set_light_state", { name: "cocina", on: false }), resultLine(7, { ok: true })],
      [callLine(8, "set_light_state", { name: "garage", on: true }), resultLine(8, { ok: true })],
      [callLine(9, "get_all_states", {}), resultLine(9, { lights, alarm: true, presence: people })],
      [callLine(10, "set_alarm_state", { armed: false }), resultLine(10, { ok: true })],
      [callLine(11, "get_alarm_status", {}), resultLine(11, { armed: false })],
    ]);
    await session.end();
  });
});

describe("Errores comunes", () => {
  it("are told in the document's words, and the session goes on", async () => {
    const session = await simulators.ready();
    await assertAnswers(session, [
      [callLine(1, "tool_inexistente", {}), errorLine(1, "Tool 'tool_inexistente' no encontrada")],
      [
        callLine(2, "set_light_state", { name: "dormitorio2", on: true }),
        errorLine(2, "Luz 'dormitorio2' no encontrada"),
      ],
      ["esto no es JSON", errorLine(null, "Error al parsear JSON: Expecting value: line 1 column 1 (char 0)")],
      [callLine(3, "set_light_state", {}), errorLine(3, "Faltan parámetros requeridos: name, on")],
      [callLine(4, "get_all_states", {}), resultLine(4, houseWith())],
    ]);
    await session.end();
  });
});

describe("Ejemplo de Sesión Completa", () => {
  it("runs as written, says nothing beside it, ends with its input, and starts anew the next time", async () => {
    const folder = simulators.newFolder();
    const session = simulators.start({ folder });
    assert.match(await session.next(), /^\{\s*"type"\s*:\s*"ready"\s*,\s*"version"\s*:\s*"0\.1\.0"\s*,\s*"tools"\s*:/);
    await assertAnswers(session, [
      [
        '{"type":"call","id":1,"tool":"set_light_state","args":{"name":"salon","on":true}}',
        '{"type":"result","id":1,"ok":true,"result":{"ok":true}}',
      ],
      [
        '{"type":"call","id":2,"tool":"get_all_states","args":{}}',
        '{"type":"result","id":2,"ok":true,"result":{"lights":{"salon":true,"cocina":false,"dormitorio":false,"bano":false,"garage":false},"alarm":false,"presence":{"present":false,"known_people":[]}}}',
      ],
      [
        '{"type":"call","id":3,"tool":"set_light_state","args":{"name":"inexistente","on":true}}',
        `{"type":"error","id":3,"ok":false,"error":"Luz 'inexistente' no encontrada"}`,
      ],
    ]);
    assert.deepEqual(await session.end(), { code: 0, rest: [], stderr: "" });
    const next = await simulators.ready({ folder });
    await assertAnswers(next, [[callLine(1, "get_all_states", {}), resultLine(1, houseWith())]]);
  });
});

describe("lines", () => {
  it("that are blank are passed over; spaces around a message and CRLF do no harm", async () => {
    const session = await simulators.ready();
    session.write("\n\r\n   \n\t\r\n");
    session.write(`  ${callLine(1, "get_presence", {})}  \r\n\n${callLine(2, "get_alarm_status", {})}\r\n`);
    assert.deepEqual([await session.next(), await session.next()].map(idText), ["1", "2"]);
    assert.deepEqual(await session.end("\r\n\n"), { code: 0, rest: [], stderr: "" });
  });

  it("come in several pieces, cut inside a character too", async () => {
    const session = await simulators.ready();
    const bytes = Buffer.from(`${callLine("ñandú 😀", "set_light_state", { name: "salón ñ 日本", on: true })}\n`);
    const cuts = [1, 7, bytes.indexOf("ñ") + 1, bytes.indexOf("😀") + 2, bytes.indexOf("日") + 1, bytes.length - 1];
    for (const [index, cut] of cuts.entries()) {
      session.write(bytes.subarray(cuts[index - 1] ?? 0, cut));
      await sleep(20);
    }
    session.write(bytes.subarray(-1));
    assertSameLine(await session.next(), errorLine("ñandú 😀", "Luz 'salón ñ 日本' no encontrada"));
    assert.deepEqual(await session.end(), { code: 0, rest: [], stderr: "" });
  });

  it("come many at once, and are answered in their order, good and bad", async () => {
    const session = await simulators.ready();
    const sent = Array.from({ length: 600 }, (_, index) => mixedLine(index));
    assert.deepEqual(
      (await session.ask(...sent.map(([line]) => line))).map((line) => JSON.parse(line)),
      sent.map(([, answer]) => JSON.parse(answer)),
    );
    assert.deepEqual(await session.end(), { code: 0, rest: [], stderr: "" });
  });

  it("carry more than ASCII, unescaped, both ways", async () => {
    const folder = simulators.newFolder();
    const light = "ático ñ 日本 😀";
    writeFileSync(
      join(folder, "casa.yaml"),
      `lights:\n  - ${light}\npresence_default:\n  present: true\n  known_people: [José]\n`,
    );
    const session = await simulators.ready({ folder, args: ["simulate", "--mcp", "--config", "casa.yaml"] });
    const lines = [callLine("ü", "set_light_state", { name: light, on: true }), callLine(2, "get_all_states", {})];
    const [set = "", all = ""] = await session.ask(...lines);
    assertSameLine(set, resultLine("ü", { ok: true }));
    assertSameLine(
      all,
      resultLine(2, { lights: { [light]: true }, alarm: false, presence: { present: true, known_people: ["José"] } }),
    );
    assert.ok(all.includes(light) && all.includes("José") && set.includes("ü"), `${set} ${all}`);
    const escaped = JSON.stringify(light).replace(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    const [off = ""] = await session.ask(
      `{"type":"call","id":3,"tool":"set_light_state","args":{"name":${escaped},"on":false}}`,
    );
    assertSameLine(off, resultLine(3, { ok: true }));
    await session.end();
  });
});

describe("the end", () => {
  it("waits for a last line that has no end of line", async () => {
    const session = await simulators.ready();
    const { code, rest, stderr } = await session.end(
      `${callLine(1, "get_presence", {})}\n${callLine(2, "get_alarm_status", {})}`,
    );
    assert.deepEqual(
      rest.map((line) => JSON.parse(line)),
      [JSON.parse(resultLine(1, NOBODY)), JSON.parse(resultLine(2, { armed: false }))],
    );
    assert.deepEqual([code, stderr], [0, ""]);
  });

  it("comes after a file of calls, as users of the original feed it", async () => {
    const folder = simulators.newFolder();
    const lines = [
      callLine(1, "get_all_states", {}),
      callLine(2, "set_light_state", { name: "salon", on: true }),
      callLine(3, "list_lights_on", {}),
      '{"type":"quit"}',
    ];
    writeFileSync(join(folder, "input.json"), lines.join("\n"));
    const file = openSync(join(folder, "input.json"), "r");
    const session = await simulators.ready({ folder, stdin: file });
    closeSync(file);
    const { code, rest, stderr } = await session.gone();
    const expected = [resultLine(1, houseWith()), resultLine(2, { ok: true }), resultLine(3, { on: ["salon"] })];
    assert.deepEqual(
      rest.map((line) => JSON.parse(line)),
      expected.map((line) => JSON.parse(line)),
    );
    assert.deepEqual([code, stderr], [0, ""]);
  });
});

function mixedLine(index: number): readonly [line: string, answer: string] {
  const on = index % 2 === 0;
  const kinds: readonly (readonly [string, string])[] = [
    [callLine(index, "set_light_state", { name: "salon", on }), resultLine(index, { ok: true })],
    [callLine(index, "list_lights_on", {}), resultLine(index, { on: on ? [] : ["salon"] })],
    [
      `{"n":${index}`,
      errorLine(null, `Error al parsear JSON: Expecting ',' delimiter: ${place(`{"n":${index}`.length)}`),
    ],
    [callLine(index, "nada", {}), errorLine(index, "Tool 'nada' no encontrada")],
    [`{"type":"t${index}"}`, errorLine(null, `Tipo de mensaje desconocido: t${index}`)],
  ];
  return kinds[index % kinds.length] ?? ["", ""];
}

function place(char: number): string {
  return `line 1 column ${char + 1} (char ${char})`;
}
