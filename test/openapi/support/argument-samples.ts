/** Arguments for a tool as a client lists it, proved by a checker that is not ours before they are sent. */
import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { samplesOf } from "./sample.ts";

type Schema = Readonly<Record<string, unknown>>;

export interface ListedTool {
  readonly name: string;
  readonly inputSchema: Schema;
}

const LEAST_FIRST = [0, 1, 2, 3, 4];
/** What the hub adds to look at answers with. */
const OURS = new Set(["_pick", "_offset"]);
const ajv = new Ajv2020({ strict: false, validateFormats: false, unicodeRegExp: false, addUsedSchema: false });

/** With as little as it takes, and with all. */
export function argumentsFor({ name, inputSchema }: ListedTool): object[] {
  const properties = Object.entries(inputSchema["properties"] ?? {}).filter(([argument]) => !OURS.has(argument));
  const schema = { ...inputSchema, properties: Object.fromEntries(properties) };
  const fits = ajv.compile(schema);
  return [LEAST_FIRST, LEAST_FIRST.toReversed()].map((depths) => {
    for (const sample of samplesOf(schema, depths)) if (fits(sample)) return sample as object;
    return assert.fail(`no arguments for ${name}: ${JSON.stringify(inputSchema).slice(0, 2_000)}`);
  });
}
