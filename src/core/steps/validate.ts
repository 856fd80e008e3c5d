/**
 * Compares the arguments with the tool's input schema, so that a source never sees what it did not ask for. A type that
 * coercion could mend is left to sources that may coerce: there a call succeeds or fails as it does without us.
 */
import { ZaguanError } from "../../errors.ts";
import { say, sayType } from "../../messages/catalogue.ts";
import type { Call } from "../call.ts";
import type { StepFactory } from "../pipeline.ts";
import type { ArgumentIssue } from "../ports.ts";

export const validate: StepFactory =
  ({ checker, clock, limits, attached }) =>
  (call, next) => {
    // What passes on as it was written is the source's to judge, in its own words.
    if (!call.tool || call.unchecked) return next(call);
    const { shape } = call.args;
    if (shape && checker.surelyFits(call.tool.inputSchema, shape)) return next(call);
    const value = call.args.value;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return Promise.reject(wrong(call, [{ path: "arguments", rule: sayType(call.language, ["object"]) }]));
    }
    const schema = call.tool.inputSchema;
    const missing = missingOf(schema, value as Record<string, unknown>);
    if (missing.length > 0) return Promise.reject(missingError(call, missing, requiredOf(schema)));
    const issues = checker.check(schema, value, call.language);
    if (issues.length === 0) return next(call);
    const mayCoerce = attached(call.source)?.source.isMcp === true && !limits().strictArguments;
    if (!mayCoerce) return Promise.reject(wrong(call, issues));
    // In a turn of its own: each of the two checks may be as long as others can be kept waiting.
    return new Promise<void>((resolve) => void clock.after(0, resolve)).then(() =>
      checker.fitsCoerced(schema, withoutNulls(value)) ? next(call) : Promise.reject(wrong(call, issues)),
    );
  };

/** Many callers say null of what they do not give; required ones have been looked for before. */
function withoutNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

/** Required members that are absent, or null where the schema does not provide for null. */
function missingOf(schema: Readonly<Record<string, unknown>>, value: Record<string, unknown>): string[] {
  return requiredOf(schema).filter((key) => {
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    return given === undefined || (given === null && isTypedWithoutNull(schema, key));
  });
}

function requiredOf(schema: Readonly<Record<string, unknown>>): string[] {
  const required = schema["required"];
  return Array.isArray(required) ? required.filter((key) => typeof key === "string") : [];
}

function isTypedWithoutNull(schema: Readonly<Record<string, unknown>>, key: string): boolean {
  const properties = schema["properties"] as Record<string, unknown> | undefined;
  const type = (properties?.[key] as { type?: unknown } | undefined)?.type;
  return typeof type === "string" && type !== "null";
}

function missingError(call: Call, missing: readonly string[], required: readonly string[]): ZaguanError {
  const key = missing.length === 1 ? "argument.missingOne" : "argument.missingMany";
  const reason = say(call.language, key, { names: missing.join(", ") });
  return new ZaguanError("INVALID_ARGUMENT", { params: { reason }, data: { missing, required }, delivery: "not_sent" });
}

function wrong(call: Call, issues: readonly ArgumentIssue[]): ZaguanError {
  const reason = issues.map(({ path, rule }) => say(call.language, "argument.wrong", { path, rule })).join("; ");
  return new ZaguanError("INVALID_ARGUMENT", { params: { reason }, data: { issues }, delivery: "not_sent" });
}
