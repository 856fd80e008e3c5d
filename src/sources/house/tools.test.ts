import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LANGUAGES } from "../../messages/catalogue.ts";
import { toolsIn } from "./tools.ts";

const NAMES = [
  "get_presence",
  "get_alarm_status",
  "list_lights_on",
  "set_light_state",
  "set_alarm_state",
  "get_all_states",
];

describe("the tools of the house", () => {
  test("are the seed's six, in its order, in every language", () => {
    for (const language of LANGUAGES) {
      assert.deepEqual(
        toolsIn(language).map((tool) => tool.name),
        NAMES,
      );
    }
  });

  test("say in Spanish what the seed says", () => {
    assert.deepEqual(
      toolsIn("es").map((tool) => tool.description),
      [
        "Obtiene el estado del detector de presencia",
        "Consulta si la alarma está armada",
        "Lista los nombres de las luces que están encendidas",
        "Enciende o apaga una luz específica",
        "Arma o desarma la alarma",
        "Obtiene un snapshot completo del estado del sistema",
      ],
    );
  });

  test("say something else in each language, and differ in nothing but words", () => {
    const texts = LANGUAGES.flatMap((language) => toolsIn(language).map((tool) => tool.description));
    assert.equal(new Set(texts).size, NAMES.length * LANGUAGES.length);
    const shapes = LANGUAGES.map((language) => withoutTexts(toolsIn(language)));
    for (const shape of shapes) assert.equal(shape, shapes[0]);
  });

  test("have the seed's schema for get_presence", () => {
    const [tool] = toolsIn("es");
    assert.deepEqual(tool?.inputSchema, { type: "object", properties: {}, required: [] });
    assert.deepEqual(tool?.outputSchema, {
      type: "object",
      properties: { present: { type: "boolean" }, known_people: { type: "array", items: { type: "string" } } },
    });
  });

  test("require and describe the parameters of the setters", () => {
    assert.deepEqual(toolsIn("es")[3]?.inputSchema, {
      type: "object",
      properties: {
        name: { type: "string", description: "Nombre de la luz" },
        on: { type: "boolean", description: "true para encender, false para apagar" },
      },
      required: ["name", "on"],
    });
    assert.deepEqual(toolsIn("es")[4]?.inputSchema, {
      type: "object",
      properties: { armed: { type: "boolean", description: "true para armar, false para desarmar" } },
      required: ["armed"],
    });
  });

  test("tell that getters only read and that setters may be repeated", () => {
    for (const { name, annotations } of toolsIn("en")) {
      const setter = name.startsWith("set_");
      assert.equal(annotations?.readOnlyHint, !setter, name);
      assert.equal(annotations?.["openWorldHint"], false, name);
      assert.equal(annotations?.idempotentHint, setter ? true : undefined, name);
      assert.equal(annotations?.["destructiveHint"], setter ? false : undefined, name);
    }
  });
});

function withoutTexts(value: unknown): string {
  return JSON.stringify(value, (key, inner) => (key === "description" ? undefined : inner));
}
