import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { say } from "./catalogue.ts";
import { detailIn } from "./detail.ts";
import { DETAILS } from "./en/details.ts";
import { TRANSLATIONS } from "./translations.ts";

const SOURCES = new URL("..", import.meta.url);
/** What people read of these is not in a failure's text, or is told by a page of its own. */
const ELSEWHERE =
  /^(?:cli|config|console|messages|observe|openapi|abilities|compose\/(?:listening|devices)|doors\/xiaozhi)/;
/** For programs. */
const IN_DATA = "nothing to resume at this Last-Event-ID";
const LITERALS = [
  /\b(?:reason|what)(?:: | = )("[^"\n]+"|`[^`\n]+`)/g,
  /\b(?:badRequest|unavailable|sourceError|unopened|fault|unreadable)\((?:[\w.#]+, )?("[^"\n]+"|`[^`\n]+`)/g,
];

describe("a detail of a failure", () => {
  it("is told in the language of the text that it stands in", () => {
    const params = { source: "box", reason: "keeps failing: exited with code 1" };
    assert.deepEqual(
      (["en", "es", "fr", "zh"] as const).map((language) => say(language, "error.SOURCE_UNAVAILABLE", params)),
      [
        "Server 'box' is unavailable: keeps failing: exited with code 1",
        "El servidor 'box' no está disponible: sigue fallando: terminó con el código 1",
        "Le serveur 'box' est indisponible\u00a0: échecs répétés\u00a0: s'est terminé avec le code 1",
        "服务器 'box' 不可用：持续失败：以代码 1 退出",
      ],
    );
    assert.equal(say("es", "error.NO_SUCH", { kind: "server", name: "server" }), "No existe: servidor 'server'");
  });

  it("that is somebody's own words stays as it is", () => {
    for (const own of ["disk full", "", "x".repeat(5_000)]) assert.equal(detailIn("fr", own), own);
  });

  it("is there once, with the same places in each language", () => {
    const placesIn = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();
    assert.equal(new Set<string>(DETAILS).size, DETAILS.length);
    const { en, ...others } = TRANSLATIONS;
    assert.equal(en.details, undefined);
    for (const { name, details } of Object.values(others)) {
      assert.deepEqual(Object.keys(details ?? {}), DETAILS, name);
      for (const detail of DETAILS) assert.deepEqual(placesIn(details?.[detail] ?? ""), placesIn(detail), detail);
    }
  });

  it("is known in every language wherever one is thrown as a text", () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !ELSEWHERE.test(file),
    );
    const said = files.flatMap((file) => {
      const text = readFileSync(new URL(file, SOURCES), "utf8");
      return LITERALS.flatMap((literal) => [...text.matchAll(literal)].map(([, quoted = ""]) => quoted.slice(1, -1)));
    });
    assert.ok(said.length > 50);
    const filled = said.map((text) => text.replace(/\$\{[^}]*\}+/g, "7"));
    const silent = filled.filter((text) => /[a-z] /.test(text) && detailIn("fr", text) === text);
    assert.deepEqual(
      silent.filter((text) => text !== IN_DATA),
      [],
    );
  });
});
