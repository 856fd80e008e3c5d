import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { ZaguanError } from "../../errors.ts";
import { checked, invalidFields } from "./checked.ts";
import type { FieldProblem } from "./problem.ts";

describe("a value that does not fit", () => {
  const lamp = z.strictObject({ name: z.string().optional() });

  it("is told by its first few fields", () => {
    const crowd = z.array(z.array(lamp));
    const wrong = Array.from({ length: 1_000 }, () => ({ nam: 1 }));
    const problems = problemsOf(() => checked(crowd, [wrong], "en"));
    assert.equal(problems.length, 20);
    assert.deepEqual(problems[0], { field: "[0][0].nam", message: "is not known here; did you mean 'name'?" });
  });

  it("is told by the first few of its keys", () => {
    const wrong = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`name${index}`, 1]));
    const problems = problemsOf(() => checked(lamp, wrong, "en"));
    assert.deepEqual([problems.length, problems[19]?.field], [20, "name19"]);
  });

  it("never has its value repeated, nor a field of any length", () => {
    const problems = problemsOf(() => checked(lamp, { name: 123456789, ["x".repeat(1_000)]: 1 }, "en"));
    assert.doesNotMatch(JSON.stringify(problems), /123456789/);
    assert.equal(problems[1]?.field.length, 100);
  });

  it("may be found out by a handler, which says so in the same form", () => {
    const error = invalidFields([{ field: "toolId", message: "no such tool" }], "en");
    assert.deepEqual(error.details.params, { reason: "parameter 'toolId' no such tool" });
  });
});

function problemsOf(check: () => unknown): readonly FieldProblem[] {
  try {
    check();
  } catch (error) {
    assert.ok(error instanceof ZaguanError);
    return error.details.data?.["errors"] as readonly FieldProblem[];
  }
  return assert.fail("it fits");
}
