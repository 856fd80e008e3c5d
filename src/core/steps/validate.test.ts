import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeCall, makeContext, makeSource, makeTool } from "../../../test/support/make-call.ts";
import { DEFAULT_LIMITS } from "../../contract/limits.ts";
import type { ZaguanError } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { ArgumentIssue } from "../ports.ts";
import { validate } from "./validate.ts";

const SCHEMA = {
  type: "object",
  properties: { name: { type: "string" }, on: { type: "boolean" }, note: { type: ["string", "null"] } },
  required: ["name", "on", "note"],
};

describe("validate", () => {
  it("lets fitting arguments pass, as their sender wrote them", async () => {
    const args = Payload.ofText('{"on":true, "name":"salon","note":null,"extra":1.0}');
    const passed = await outcome(args);
    assert.equal(passed, args);
  });

  const missing: readonly (readonly [args: string, language: Language, reason: string, names: string[]])[] = [
    ['{"name":"a","note":""}', "en", "missing required parameter 'on'", ["on"]],
    ['{"note":""}', "es", "Faltan parámetros requeridos: name, on", ["name", "on"]],
    ['{"name":"a","on":null,"note":""}', "en", "missing required parameter 'on'", ["on"]],
    ["{}", "en", "missing required parameters name, on, note", ["name", "on", "note"]],
  ];
  for (const [args, language, reason, names] of missing) {
    it(`${args} in ${language}: ${reason}`, async () => {
      const error = (await outcome(Payload.ofText(args), [], language)) as ZaguanError;
      assert.deepEqual([error.code, error.delivery], ["INVALID_ARGUMENT", "not_sent"]);
      assert.deepEqual(error.details.params, { reason });
      assert.deepEqual(error.details.data, { missing: names, required: ["name", "on", "note"] });
    });
  }

  for (const args of ["[]", "null", '"salon"', "1", "true"]) {
    it(`${args} is no object`, async () => {
      const error = (await outcome(Payload.ofText(args))) as ZaguanError;
      assert.deepEqual(error.details.params, { reason: "parameter 'arguments' must be object" });
    });
  }

  it("names every issue that the schema's checker finds", async () => {
    const issues = [
      { path: "on", rule: "must be boolean" },
      { path: "name", rule: "is too long" },
    ];
    const error = (await outcome(Payload.ofText('{"name":"a","on":1,"note":""}'), issues)) as ZaguanError;
    assert.deepEqual(error.details.params, { reason: "parameter 'on' must be boolean; parameter 'name' is too long" });
    assert.deepEqual(error.details.data, { issues });
  });

  describe("of types that coercion could mend", () => {
    const asked: unknown[] = [];
    const issues = [{ path: "on", rule: "must be boolean" }];
    const checker = {
      surelyFits: () => false,
      check: () => issues,
      fitsCoerced: (_: object, value: unknown) => asked.push(value) > 0,
    };
    const args = Payload.ofText('{"name":"a","on":"true","note":"","level":null}');
    const judged = (isMcp: boolean, strictArguments: boolean): Promise<unknown> => {
      const attached = () => ({ source: makeSource("house", { isMcp }), policy: { repeatable: [], cacheSeconds: {} } });
      const limits = () => ({ ...DEFAULT_LIMITS, strictArguments });
      const call = makeCall({ args, tool: makeTool("lamp", { inputSchema: SCHEMA }) });
      const context = makeContext({ checker, limits, attached });
      const outcome = validate(context)(call, async (passed) => passed.args).catch((error: ZaguanError) => error.code);
      void context.clock.advance(0);
      return outcome;
    };

    it("are the source's to judge where it may coerce, as they were sent; null of an optional one too", async () => {
      assert.equal(await judged(true, false), args);
      assert.deepEqual(asked, [{ name: "a", on: "true", note: "" }]);
    });

    it("are wrong for a source that does not coerce, and where limits.strictArguments says so", async () => {
      assert.equal(await judged(false, false), "INVALID_ARGUMENT");
      assert.equal(await judged(true, true), "INVALID_ARGUMENT");
    });
  });

  it("takes an inherited member for no argument", async () => {
    const tool = makeTool("lamp", { inputSchema: { required: ["constructor", "toString"] } });
    const error = await validate(makeContext())(makeCall({ tool }), async () => assert.fail("it passed")).catch(
      (e) => e,
    );
    assert.deepEqual((error as ZaguanError).details.data?.["missing"], ["constructor", "toString"]);
  });

  for (const required of [undefined, "name", [1, null], {}]) {
    it(`survives a schema whose \`required\` is ${JSON.stringify(required)}`, async () => {
      const tool = makeTool("lamp", { inputSchema: { required } });
      await validate(makeContext())(makeCall({ tool }), async () => Payload.ofText("{}"));
    });
  }
});

/** The arguments that passed, or the error. */
function outcome(args: Payload, issues: readonly ArgumentIssue[] = [], language: Language = "en"): Promise<unknown> {
  const step = validate(
    makeContext({ checker: { surelyFits: () => false, check: () => issues, fitsCoerced: () => true } }),
  );
  const call = makeCall({ args, language, tool: makeTool("lamp", { inputSchema: SCHEMA }) });
  return step(call, async (passed) => passed.args).catch((error) => error);
}
