import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { optionsFor } from "../../../test/support/mqtt/open-broker.ts";
import { LANGUAGES } from "../../messages/catalogue.ts";
import { mqtt, offersOfBroker } from "./index.ts";
import { EN } from "./texts/en.ts";
import { type TextKey, tell } from "./texts/index.ts";
import { toolsIn } from "./tools.ts";

const namesFor = (more: Parameters<typeof optionsFor>[1]) =>
  offersOfBroker("flat", optionsFor(1, more)).tools.map(({ name }) => name);

describe("the tools of a broker", () => {
  it("are those that make sense as it is configured", () => {
    const discovery = { homeAssistant: false, zigbee2mqtt: false } as const;
    assert.deepEqual(namesFor({}), ["list_devices", "get_device", "set_device", "list_topics", "read_topic"]);
    assert.deepEqual(namesFor({ publish: ["a/#"], discovery }), ["list_topics", "read_topic", "publish"]);
    assert.deepEqual(namesFor({ topics: [] }), ["list_devices", "get_device", "set_device"]);
    assert.deepEqual(offersOfBroker("flat", optionsFor(1, { topics: [] })).offers.resourceTemplates, []);
  });

  it("say truthfully what they do", () => {
    const hints = Object.fromEntries(toolsIn("en").map(({ name, annotations }) => [name, annotations]));
    for (const name of ["list_devices", "get_device", "list_topics", "read_topic"])
      assert.equal(hints[name]?.readOnlyHint, true);
    for (const name of ["set_device", "publish"]) {
      assert.deepEqual(
        [hints[name]?.readOnlyHint, hints[name]?.["destructiveHint"], hints[name]?.idempotentHint],
        [false, true, false],
      );
    }
  });

  it("take nothing that they do not know", () => {
    for (const { name, inputSchema } of toolsIn("en")) assert.equal(inputSchema["additionalProperties"], false, name);
  });

  it("are told in every language", () => {
    const [tool] = toolsIn("en");
    assert.ok(tool);
    for (const language of LANGUAGES) {
      assert.equal(mqtt.translate?.(tool, language).description, tell(language, "list_devices"));
      assert.deepEqual(
        toolsIn(language).map(({ name }) => name),
        toolsIn("en").map(({ name }) => name),
      );
    }
  });
});

describe("texts", () => {
  it("have the marks of their language, as all our texts have", () => {
    const rows = (language: "fr" | "zh") =>
      (Object.keys(EN) as TextKey[]).map((key) => tell(language, key).replace(/\{\w+\}/g, "x"));
    assert.deepEqual(
      rows("fr").filter((text) => / [:;?!»]|« |[\p{L}\p{N})'][;?!]|[\p{L})']:(?=\s|$)/u.test(text)),
      [],
    );
    assert.deepEqual(
      rows("zh").filter((text) =>
        /\p{Script=Han}(?:\.| ?[,;:?!()])|[,;:?!()] ?\p{Script=Han}|\.{2}|(?<!…)…(?!…)/u.test(text),
      ),
      [],
    );
  });

  const placesIn = (text: string): readonly string[] => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();

  for (const language of LANGUAGES) {
    it(`are whole in ${language}, with the same places`, () => {
      for (const key of Object.keys(EN) as TextKey[]) {
        assert.deepEqual(placesIn(tell(language, key)), placesIn(EN[key]), key);
        assert.notEqual(tell(language, key).trim(), "");
      }
    });
  }
});

it("nothing of the client is loaded before the first broker is dialled", () => {
  const kind = new URL("./index.ts", import.meta.url).href;
  const code = `await import(${JSON.stringify(kind)}); console.log(Object.keys(process.getBuiltinModule("node:module")._cache).length)`;
  const loaded = execFileSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
  assert.equal(loaded.trim(), "0", "no module of a package, all of which are CommonJS");
});
