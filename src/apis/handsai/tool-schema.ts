/** The schema of a tool in HandsAI's words, as somebody sends it. */
import { z } from "zod";
import { endpointFault } from "./endpoint-path.ts";
import { label, oneLine, type SchemasOf, type Unsaid } from "./fields.ts";
import { isDefaultFor } from "./text-values.ts";
import type { ParameterDescription, ParameterType, ToolDescription } from "./types.ts";

interface ParameterFields {
  readonly name: string;
  readonly type: ParameterType | Unsaid;
  readonly description: string | Unsaid;
  readonly required: boolean | Unsaid;
  readonly defaultValue: string | number | boolean | Unsaid;
}

/** The fields once each has passed its own check. */
interface ToolFields {
  readonly name: string;
  readonly enabled: boolean | Unsaid;
  readonly description: string | Unsaid;
  readonly endpointPath: string;
  readonly httpMethod: ToolDescription["httpMethod"];
  readonly bodyPayloadTemplate: string | Unsaid;
  readonly parameters: readonly ParameterDescription[] | Unsaid;
  readonly isExportable?: boolean | Unsaid;
}

const PARAMETER_FIELDS: SchemasOf<ParameterFields> = {
  name: oneLine(256).min(1),
  type: z.enum(["STRING", "NUMBER", "BOOLEAN", "OBJECT", "ARRAY"]).nullish(),
  description: z.string().max(10_000).nullish(),
  required: z.boolean().nullish(),
  defaultValue: z
    .union([z.string().max(10_000), z.number(), z.boolean()])
    .nullish()
    .describe("Sent where nothing is given, with the parameter's type; an object or a list as JSON text."),
};

/** Members that the real system's answers have, and that may be sent back. */
const OF_A_ROW = ["id", "code", "enabled", "createdAt", "updatedAt"] as const;

const strictParameter = parameterOf(
  z.strictObject({
    ...PARAMETER_FIELDS,
    ...Object.fromEntries(OF_A_ROW.map((name) => [name, z.unknown().optional()])),
  }),
);
const looseParameter = parameterOf(z.object(PARAMETER_FIELDS));

const TOOL_FIELDS: SchemasOf<Omit<ToolFields, "parameters" | "isExportable">> = {
  name: label.describe("For people."),
  enabled: z.boolean().nullish(),
  description: z.string().max(10_000).nullish(),
  endpointPath: z
    .string()
    .max(2_048)
    .superRefine((path, context) => {
      const fault = endpointFault(path);
      if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
    })
    .describe("Below baseUrl; `{parameter}` stands for one."),
  httpMethod: z.enum(["GET", "POST", "PUT", "DELETE", "PATCH"]),
  bodyPayloadTemplate: z
    .string()
    .max(100_000)
    .nullish()
    .describe("JSON with `{{parameter}}` in it, instead of an object of all parameters."),
};

/** For those who describe a tool here: what is not known is refused. */
export const STRICT_TOOL_FIELDS: SchemasOf<ToolFields> = {
  ...TOOL_FIELDS,
  parameters: parameters(strictParameter),
  isExportable: z.boolean().nullish().describe("Whether an export has it; it has unless this is false."),
};
/** For exports of other versions. As in the real system, what was imported may be exported, whatever it says of that. */
export const LOOSE_TOOL_FIELDS: SchemasOf<Omit<ToolFields, "isExportable">> = {
  ...TOOL_FIELDS,
  parameters: parameters(looseParameter),
};

export function toolOf(given: ToolFields & { readonly code: string }): ToolDescription {
  return {
    name: given.name,
    code: given.code,
    enabled: given.enabled ?? true,
    description: given.description ?? "",
    endpointPath: given.endpointPath,
    httpMethod: given.httpMethod,
    bodyPayloadTemplate: given.bodyPayloadTemplate?.trim() ? given.bodyPayloadTemplate : null,
    parameters: given.parameters ?? [],
    ...(typeof given.isExportable === "boolean" && { isExportable: given.isExportable }),
  };
}

function parameterOf(schema: z.ZodType<ParameterFields>): z.ZodType<ParameterDescription> {
  return schema
    .transform(({ name, type, description, required, defaultValue }) => ({
      name,
      type: type ?? "STRING",
      description: description ?? "",
      required: required ?? false,
      defaultValue: defaultValue === undefined || defaultValue === null ? null : String(defaultValue),
    }))
    .refine(({ type, defaultValue }) => !defaultValue || isDefaultFor(type, defaultValue), {
      error: "must be the text of a value of the parameter's type",
      path: ["defaultValue"],
    });
}

function parameters(parameter: z.ZodType<ParameterDescription>): SchemasOf<ToolFields>["parameters"] {
  return z
    .array(parameter)
    .max(200)
    .superRefine((all, context) => {
      const names = all.map(({ name }) => name);
      const index = names.findIndex((name, at) => names.indexOf(name) < at);
      if (index >= 0)
        context.addIssue({ code: "custom", message: "is the name of another one too", path: [index, "name"] });
    })
    .nullish();
}
