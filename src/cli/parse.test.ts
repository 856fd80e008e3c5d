/** From words to a command line. Wrong usage has its own file: main.test.ts. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Command } from "./command.ts";
import { COMMANDS } from "./commands/index.ts";
import { parseCommandLine, usageOf } from "./parse.ts";

function command(name: string): Command {
  const found = COMMANDS.find((each) => each.name === name);
  assert.ok(found);
  return found;
}

describe("a command line", () => {
  test("may have options before, between and behind operands", () => {
    const line = parseCommandLine(command("call"), ["--arg", "a=1", "tool", "--arg=b=2", "--timeout=5"]);
    assert.deepEqual(line.operands, ["tool"]);
    assert.deepEqual(line.flags["arg"], ["a=1", "b=2"]);
    assert.equal(line.flags["timeout"], "5");
  });

  test("keeps a program behind -- as it is", () => {
    const line = parseCommandLine(command("add"), ["fs", "--env", "A=1", "--", "npx", "-y", "--", "--port", "x"]);
    assert.deepEqual(line.operands, ["fs"]);
    assert.deepEqual(line.program, ["npx", "-y", "--", "--port", "x"]);
    assert.deepEqual(line.flags["env"], ["A=1"]);
  });

  test("has no program where the command takes none", () => {
    const line = parseCommandLine(command("tools"), ["--", "--json"]);
    assert.deepEqual([line.operands, line.program], [["--json"], undefined]);
  });

  test("needs no word where --mcp stands, also as the original wrote it", () => {
    for (const word of ["--mcp", "--mcp=stdio"]) {
      assert.equal(parseCommandLine(command("simulate"), [word]).flags["mcp"], true);
    }
  });

  test("takes as many names as there are", () => {
    const line = parseCommandLine(command("simulate"), ["presence", "set", "Ana", "Carlos"]);
    assert.deepEqual(line.operands, ["presence", "set", "Ana", "Carlos"]);
  });
});

describe("the usage that is shown", () => {
  test("is the form that was begun", () => {
    assert.equal(usageOf(command("key"), ["revoke"]), "zaguan key revoke NAME");
    assert.equal(usageOf(command("simulate"), ["lights", "on"]), "zaguan simulate lights on NAME");
  });

  test("is the first form where none was begun", () => {
    assert.equal(usageOf(command("key")), "zaguan key create NAME [--tools PATTERN]…");
    assert.equal(usageOf(command("key"), ["nonsense"]), "zaguan key create NAME [--tools PATTERN]…");
  });
});
