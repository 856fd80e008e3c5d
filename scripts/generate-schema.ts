/** Writes the JSON Schema of `zaguan.json` to schema/zaguan.schema.json, or to the file named as the only argument. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { renderJsonSchema } from "../src/config/json-schema.ts";

const target = process.argv[2] ?? join(import.meta.dirname, "..", "schema", "zaguan.schema.json");
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, renderJsonSchema());
