import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isLanguage, type Language, languageOf, say } from "./catalogue.ts";
import { detailIn } from "./detail.ts";

describe("say", () => {
  /** Texts of the contract and of the seeds, to the letter. */
  const texts: readonly (readonly [Language, Parameters<typeof say>[1], Parameters<typeof say>[2], string])[] = [
    ["en", "argument.missingOne", { names: "q" }, "missing required parameter 'q'"],
    ["es", "argument.missingMany", { names: "name, on" }, "Faltan parámetros requeridos: name, on"],
    ["es", "error.UNKNOWN_TOOL", { tool: "x" }, "Tool 'x' no encontrada"],
    ["es", "line.unknownType", { type: "hola" }, "Tipo de mensaje desconocido: hola"],
    ["es", "line.missingIdOrTool", {}, "Mensaje inválido: falta 'id' o 'tool'"],
    ["fr", "error.UNKNOWN_TOOL", { tool: "x" }, "Outil inconnu: x"],
    ["zh", "error.UNKNOWN_TOOL", { tool: "x" }, "未知工具：x"],
  ];
  for (const [language, key, params, expected] of texts) {
    it(`${key} in ${language}`, () => assert.equal(say(language, key, params), expected));
  }

  it("writes values as they are, whatever they look like", () => {
    for (const value of ["$&", "$1", "{tool}", "{reason}", "\\"]) {
      assert.equal(say("en", "error.UNKNOWN_TOOL", { tool: value }), `Unknown tool: ${value}`);
    }
    assert.equal(say("en", "error.RATE_LIMITED", { seconds: 0 }), "Rate limit exceeded; try again in 0 s");
  });

  it("does not compile without the values that its text names", () => {
    // @ts-expect-error: there is no tool
    assert.equal(say("en", "error.UNKNOWN_TOOL"), "Unknown tool: {tool}");
    // @ts-expect-error: it is called otherwise
    assert.equal(say("en", "error.UNKNOWN_TOOL", { name: "x" }), "Unknown tool: {tool}");
  });
});

describe("a reason that is kept in English", () => {
  it("is said in the reader's language, with what stands in it", () => {
    const params = { source: "tv", reason: "it answered with HTTP 404" };
    assert.equal(
      say("en", "error.SOURCE_UNAVAILABLE", params),
      "Server 'tv' is unavailable: it answered with HTTP 404",
    );
    assert.match(say("fr", "error.SOURCE_UNAVAILABLE", params), /indisponible\u00a0: il a répondu par HTTP 404$/);
    const tried = "no way led to it. HTTP+SSE: it answered with HTTP 404; WebSocket: connection refused";
    assert.equal(
      detailIn("es", tried),
      "ninguna forma de conexión funcionó. HTTP+SSE: respondió con HTTP 404; WebSocket: conexión rechazada",
    );
  });

  it("stays as it is where nobody knows it", () => assert.equal(detailIn("zh", "out of milk"), "out of milk"));
});

describe("the language of a request", () => {
  const headers: readonly (readonly [string | undefined, Language])[] = [
    [undefined, "en"],
    ["", "en"],
    ["es", "es"],
    ["ES", "es"],
    ["zh-CN,zh;q=0.9,en;q=0.8", "zh"],
    ["fr-CA", "fr"],
    ["de, it;q=0.9, fr;q=0.5", "fr"],
    ["en;q=0.2, es;q=0.8", "es"],
    ["es; q=0.1, fr ; q=0.4", "fr"],
    ["es;q=0", "en"],
    ["es;q=nonsense, fr;q=0.1", "fr"],
    ["*", "en"],
    ["est", "en"],
    ["frr-DE", "en"],
    ["de", "en"],
    [";q=", "en"],
    [`${"de,".repeat(100)}fr`, "en"],
  ];
  for (const [header, expected] of headers) {
    it(`${header?.slice(0, 40) ?? "no header"} → ${expected}`, () => assert.equal(languageOf(header, "en"), expected));
  }

  it("is the hub's own where the header names none of ours", () => assert.equal(languageOf("de", "zh"), "zh"));
  it("knows its four by name", () => {
    assert.deepEqual(["en", "es", "fr", "zh", "de", "", undefined, "EN"].map(isLanguage), [
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
