/** Seed 000 beyond its examples, over the real `zaguan simulate --mcp`: ids of any kind, and what a bad client sends. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { LineSession } from "../support/line-session.ts";
import {
  assertAnswers,
  callLine,
  errorLine,
  houseWith,
  idText,
  NOBODY,
  resultLine,
  Simulators,
} from "../support/seed-000.ts";

const INVALID = "Mensaje inválido: falta 'id' o 'tool'";
const MISSING_LIGHT = "Faltan parámetros requeridos: name, on";
const MISSING_ALARM = "Falta parámetro requerido: armed";

const simulators = new Simulators();
let session: LineSession;
before(async () => {
  session = await simulators.ready();
});
after(() => simulators.close());

describe("an id", () => {
  const numbers = ["7", "0", "-1", "-9007199254740993", "2.5", "-0.125"];
  const beyondDoubles = ["9007199254740993", "18446744073709551615", "123456789012345678901234567890"];
  for (const id of [...numbers, ...beyondDoubles]) {
    it(`that is the number ${id} comes back with the same digits, in results and errors`, async () => {
      const good = `{"type":"call","id":${id},"tool":"get_presence","args":{}}`;
      const bad = `{"type":"call","id":${id},"tool":"nada","args":{}}`;
      assert.deepEqual((await session.ask(good, bad, `{"type":"x","id":${id}}`)).map(idText), [id, id, id]);
    });
  }

  const longId = "x".repeat(10_000);
  for (const id of ["1", "", "peticion_1", "señal ñ 日本 😀", 'con "comillas" y \\ y \n', "null", longId]) {
    it(`that is the string ${JSON.stringify(id).slice(0, 40)} comes back as it is`, async () => {
      await assertAnswers(session, [
        [callLine(id, "get_presence", {}), resultLine(id, NOBODY)],
        [callLine(id, "nada", {}), errorLine(id, "Tool 'nada' no encontrada")],
      ]);
    });
  }

  it("may be used again", async () => {
    await assertAnswers(session, [
      [callLine(1, "get_presence", {}), resultLine(1, NOBODY)],
      [callLine(1, "get_alarm_status", {}), resultLine(1, { armed: false })],
    ]);
  });
});

describe("a message that is no good call", () => {
  it("lacks its id: the error's is null", async () => {
    await assertAnswers(session, [
      ['{"type":"call","tool":"get_presence","args":{}}', errorLine(null, INVALID)],
      ['{"type":"call","id":null,"tool":"get_presence","args":{}}', errorLine(null, INVALID)],
      ['{"type":"call"}', errorLine(null, INVALID)],
    ]);
  });

  it("lacks its tool", async () => {
    await assertAnswers(session, [
      ['{"type":"call","id":5,"args":{}}', errorLine(5, INVALID)],
      ['{"type":"call","id":"a","tool":null}', errorLine("a", INVALID)],
      ['{"type":"call","id":0,"tool":""}', errorLine(0, INVALID)],
    ]);
  });

  it("has an unknown type, or none", async () => {
    await assertAnswers(session, [
      ['{"type":"hola","id":6}', errorLine(6, "Tipo de mensaje desconocido: hola")],
      ['{"type":"Call","id":"b","tool":"get_presence"}', errorLine("b", "Tipo de mensaje desconocido: Call")],
      ['{"type":"result","id":1,"ok":true,"result":{}}', errorLine(1, "Tipo de mensaje desconocido: result")],
      ['{"type":"ping"}', errorLine(null, "Tipo de mensaje desconocido: ping")],
      ['{"id":7,"tool":"get_presence"}', errorLine(7, "Tipo de mensaje desconocido: None")],
      ["{}", errorLine(null, "Tipo de mensaje desconocido: None")],
    ]);
  });

  const broken = [
    "{",
    '{"type":"call","id":1,',
    '{"type":"quit"',
    "{'type':'quit'}",
    '{"type":"quit"} x',
    "\u0000",
    "tru",
  ];
  for (const line of broken) {
    it(`is no JSON: ${JSON.stringify(line)}`, async () => {
      const [answer = ""] = await session.ask(line);
      const { error: text, ...others } = JSON.parse(answer);
      assert.deepEqual(others, { type: "error", id: null, ok: false });
      assert.match(text, /^Error al parsear JSON: .*line 1 column \d+ \(char \d+\)$/);
    });
  }

  for (const line of ["[]", '[{"type":"quit"}]', "42", '"quit"', "null", "true"]) {
    it(`is JSON but no object, and does not end the session as it ends the original's: ${line}`, async () => {
      const [answer = "", next] = await session.ask(line, callLine(1, "get_presence", {}));
      const { error: text, ...others } = JSON.parse(answer);
      assert.deepEqual(others, { type: "error", id: null, ok: false });
      assert.match(text, /^(?:Tipo de mensaje desconocido|Mensaje inválido)/);
      assert.deepEqual(JSON.parse(next ?? ""), JSON.parse(resultLine(1, NOBODY)));
    });
  }
});

describe("arguments", () => {
  for (const args of [{}, { name: "salon" }, { on: true }, { name: null, on: null }, { name: "salon", on: null }]) {
    it(`of a light that are missing: ${JSON.stringify(args)}`, async () => {
      await assertAnswers(session, [[callLine(3, "set_light_state", args), errorLine(3, MISSING_LIGHT)]]);
    });
  }

  for (const args of [{}, { armed: null }, { name: "salon" }]) {
    it(`of the alarm that are missing: ${JSON.stringify(args)}`, async () => {
      await assertAnswers(session, [[callLine(3, "set_alarm_state", args), errorLine(3, MISSING_ALARM)]]);
    });
  }

  it("may be absent or null", async () => {
    await assertAnswers(session, [
      ['{"type":"call","id":1,"tool":"get_presence"}', resultLine(1, NOBODY)],
      ['{"type":"call","id":2,"tool":"get_presence","args":null}', resultLine(2, NOBODY)],
      ['{"type":"call","id":3,"tool":"set_light_state"}', errorLine(3, MISSING_LIGHT)],
      ['{"type":"call","id":4,"tool":"set_alarm_state","args":null}', errorLine(4, MISSING_ALARM)],
    ]);
  });

  it("may be more than are asked for, and so may the message's own fields", async () => {
    await assertAnswers(session, [
      [callLine(1, "set_light_state", { name: "bano", on: true, brillo: 50 }), resultLine(1, { ok: true })],
      [callLine(2, "get_presence", { x: [1, { y: null }] }), resultLine(2, NOBODY)],
      ['{"extra":{"a":1},"args":{},"tool":"list_lights_on","id":3,"type":"call"}', resultLine(3, { on: ["bano"] })],
    ]);
  });

  const wrong: readonly (readonly [tool: string, args: object, named: string])[] = [
    ["set_light_state", { name: "garage", on: "yes" }, "on"],
    ["set_light_state", { name: 5, on: true }, "name"],
    ["set_alarm_state", { armed: 1 }, "armed"],
  ];
  for (const [tool, args, named] of wrong) {
    it(`of a wrong kind are refused by name and change nothing: ${JSON.stringify(args)}`, async () => {
      const [refusal = "", state = ""] = await session.ask(callLine(8, tool, args), callLine(9, "get_all_states", {}));
      const { error: text, ...others } = JSON.parse(refusal);
      assert.deepEqual(others, { type: "error", id: 8, ok: false });
      assert.match(text, new RegExp(`'${named}'`));
      assert.deepEqual(JSON.parse(state).result, houseWith("bano"));
    });
  }

  it("of a wrong kind are refused in Spanish, like all else here", async () => {
    for (const line of await session.ask(...wrong.map(([tool, args]) => callLine(8, tool, args)))) {
      assert.doesNotMatch(JSON.parse(line).error, /\b(?:must|be|should|expected|invalid|string|boolean)\b/i);
    }
  });

  for (const name of ["SALON", "salon ", "", "__proto__", "constructor", "cocina\nx", "ático 日本 😀", "it's"]) {
    it(`name a light that is not there: ${JSON.stringify(name)}`, async () => {
      await assertAnswers(session, [
        [callLine(2, "set_light_state", { name, on: true }), errorLine(2, `Luz '${name}' no encontrada`)],
      ]);
    });
  }

  for (const name of ["Get_Presence", "__proto__", "toString", "baño ☃"]) {
    it(`do not save a tool that is not there: ${name}`, async () => {
      await assertAnswers(session, [[callLine(2, name, {}), errorLine(2, `Tool '${name}' no encontrada`)]]);
    });
  }
});

describe("after all that", () => {
  it("the program has said nothing but its answers, and ends well", async () => {
    assert.deepEqual(await session.end(), { code: 0, rest: [], stderr: "" });
  });
});
