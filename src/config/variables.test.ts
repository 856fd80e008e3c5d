// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are what people write in the file
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expandVariables } from "./variables.ts";

describe("variables", () => {
  it("are read from the environment that is handed in, in every text", () => {
    const { value } = expandVariables({ a: ["${X}-${env:Y}", { b: "${X}" }], c: 1, d: null }, { X: "x", Y: "y" });
    assert.deepEqual(value, { a: ["x-y", { b: "x" }], c: 1, d: null });
  });

  it("have a default for unset and for empty", () => {
    const { value, missing } = expandVariables(["${A:-a b}", "${B:-b}", "${C:-c}", "${env:D:-}"], { B: "", C: "set" });
    assert.deepEqual(value, ["a b", "b", "set", ""]);
    assert.deepEqual(missing, []);
  });

  it("are not read again from what they brought, nor from what objects inherit", () => {
    assert.equal(expandVariables("${A}", { A: "${B}", B: "no" }).value, "${B}");
    assert.deepEqual(expandVariables("${constructor}", {}).missing, [
      { path: "", text: "the environment variable constructor is not set" },
    ]);
  });

  it("are told with name and place when they are not set, and stay as they are", () => {
    const { value, missing } = expandVariables({ log: { level: "x${NO_SUCH}" } }, {});
    assert.deepEqual(missing, [{ path: "log.level", text: "the environment variable NO_SUCH is not set" }]);
    assert.deepEqual(value, { log: { level: "x${NO_SUCH}" } });
  });

  it("can be written plainly with a second dollar sign; other dollar signs mean nothing", () => {
    assert.equal(expandVariables("$${A} $A $ ${", { A: "a" }).value, "${A} $A $ ${");
  });

  it("of VS Code's inputs, of editors and of unknown forms are refused", () => {
    const texts = ["${input:tok}", "${userHome}/x", "${command:pick}", "${}"];
    const { problems } = expandVariables(texts, {});
    assert.deepEqual(
      problems.map((problem) => problem.path),
      ["[0]", "[1]", "[2]", "[3]"],
    );
    assert.match(problems[0]?.text ?? "", /^\$\{input:tok\} asks a person in VS Code/);
    assert.match(problems[1]?.text ?? "", /^\$\{userHome\} means something in an editor only/);
    assert.match(problems[2]?.text ?? "", /not understood; write \$\{VAR\}/);
  });

  it("are left to the program where only its own env sets them", () => {
    const entry = { command: "x", args: ["${T}"], env: { T: "secret" } };
    const own = expandVariables({ mcpServers: { a: entry } }, {});
    assert.deepEqual([own.value, own.missing], [{ mcpServers: { a: entry } }, []]);
    const ours = expandVariables({ mcpServers: { a: entry } }, { T: "outer" });
    assert.deepEqual(ours.value, { mcpServers: { a: { ...entry, args: ["outer"] } } });
    assert.equal(expandVariables({ mcpServers: { a: { ...entry, cwd: "${T}" } } }, {}).missing.length, 1);
  });

  it("mean nothing in members that are ignored", () => {
    const form = { mcpServers: { a: { command: "x", description: "${input:x}", tools: ["${NO}"] } } };
    const { value, problems, missing } = expandVariables(form, {});
    assert.deepEqual([value, problems, missing], [form, [], []]);
  });
});

describe("the key __proto__", () => {
  it("is refused anywhere and reaches no object", () => {
    const { value, problems } = expandVariables(JSON.parse('{"a": [{"__proto__": {"polluted": 1}}]}'), {});
    assert.deepEqual(problems, [{ path: "a[0].__proto__", text: '"__proto__" is not allowed as a key' }]);
    assert.equal((value as { a: { polluted?: number }[] }).a[0]?.polluted, undefined);
  });
});
