/** A tool of a REST API that somebody writes down in `zaguan.json`: its request with the places of its parameters. */
import { z } from "zod";
import type { Of } from "../contract/fields.ts";
import { PLAIN_NAME } from "../contract/rules.ts";
import { contradictionsIn } from "./api-tool-check.ts";

const parameter = z.strictObject({
  name: z
    .string()
    .refine((name) => /^[^\s{}\p{Cc}]{1,64}$/u.test(name), { error: "is 1 to 64 characters without spaces and braces" })
    .describe("What the parameter is called in the request."),
  type: z
    .enum(["string", "number", "integer", "boolean", "object", "array"])
    .optional()
    .describe('What its values are; a "string" unless given.'),
  description: z.string().max(4000).optional().describe("What it means, for the model."),
  required: z.boolean().default(false).describe("Whether every call must give it; in the path it is always needed."),
  default: z.unknown().optional().describe("Its value in calls that do not give it."),
  in: z
    .enum(["path", "query", "header", "body"])
    .optional()
    .describe("Where it goes; found out from the path, the template and the method unless given."),
});

const tool = z.strictObject({
  name: z
    .string()
    .regex(PLAIN_NAME, { error: 'is 1 to 64 letters without accents, digits, "_", "." or "-"' })
    .describe("The tool's name."),
  description: z.string().min(1).max(8000).describe("What the tool does, for the model."),
  method: z
    .enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
    .default("GET")
    .describe("The method of its request."),
  path: z
    .string()
    .refine((path) => /^\/[^\s#\\\p{Cc}]*$/u.test(path), {
      abort: true,
      error: 'expected a path that begins with "/", without spaces and "#"',
    })
    .refine((path) => !path.split(/[/?]/).some(isDots), { error: 'may not have "." or ".." between slashes' })
    .describe("Behind the base URL, with places such as {city} for parameters."),
  parameters: z.array(parameter).default([]).describe("What a call may give."),
  bodyTemplate: z
    .string()
    .min(1)
    .optional()
    .describe("The body of its request: JSON with places such as {{city}} for parameters."),
});

/** A parameter as written. */
export type ParameterEntry = Of<typeof parameter>;
/** A tool as written, checked and with its defaults. */
export type ToolEntry = Of<typeof tool>;

export const toolSchema = tool.check((payload) => {
  // A misspelt key is told alone, not together with the lack of the right one.
  if (payload.issues.length > 0) return;
  for (const { path, message } of contradictionsIn(payload.value)) {
    payload.issues.push({ code: "custom", input: payload.value, path: [...path], message });
  }
});

function isDots(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}
