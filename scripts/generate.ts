/**
 * Renews what is made of the contracts: the places of operations, what an empty file means, the JSON Schema of
 * `zaguan.json`, the tables of rights, limits and sections in the documents, who may import whom in ARCHITECTURE.md, and what
 * docs/scale.md says of the figures that were measured.
 * With `--check` it changes nothing, and fails where a file is not what would be written.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { DESCRIBED } from "../src/apis/handsai/operations.ts";
import { checkFileForm, renderJsonSchema } from "../src/config/schema.ts";
import { LIMITS } from "../src/contract/limits.ts";
import type { Operation } from "../src/contract/operation.ts";
import { operations } from "../src/contract/operations.ts";
import type { FileSection } from "../src/sources/section.ts";
import { SECTIONS } from "../src/sources/sections.ts";
import { withImportRules } from "../test/support/layers-table.ts";
import { readFigures } from "./cluster/figures.ts";
import { withFigures } from "./cluster/scale-page.ts";
import { scalePicture } from "./cluster/scale-picture.ts";

/** Of a line, less what stands before and behind a value on it. */
const WIDTH = 100;

const GENERATED: Readonly<Record<string, (before: string) => string | Promise<string>>> = {
  "ARCHITECTURE.md": withImportRules,
  // Before the table of rights: doors are opened with what it says.
  "src/contract/generated.ts": generatedPlaces,
  "src/config/defaults.ts": generatedDefaults,
  "schema/zaguan.schema.json": renderJsonSchema,
  "docs/rights.md": async () => {
    const { shownRights, tableOfRights } = await import("../test/support/rights-table.ts");
    return shownRights(await tableOfRights());
  },
  "docs/scale.md": (page) => withFigures(page, readFigures()),
  "docs/scale.svg": () => scalePicture(readFigures()),
  "docs/config.md": (page) => withSections(page.replace(/(?<=## limits\n\n)(?:\|.*\n)+/, tableOfLimits)),
};

function generatedPlaces(): string {
  const doors = Object.entries({ ...operations, admin: { ...DESCRIBED, ...operations.admin } });
  const lines = doors.flatMap(([door, all]) => [
    `  ${door}: {`,
    ...Object.values<Operation>(all).map(
      ({ operationId, method, path, needs }) => `    ${operationId}: ["${method}", "${path}", "${needs}"],`,
    ),
    "  },",
  ]);
  return [
    "/** Where operations are, by door, and which right each needs. Made by `npm run generate`; loads no schemas. */",
    "",
    "export const PLACES = {",
    ...lines,
    "} as const;",
    "",
  ].join("\n");
}

/** The sections that belong to kinds of sources stand before the first that does not follow them. */
function withSections(page: string): string {
  const others = page.replace(/## (\w+)\n\n(?:(?!\n## )[\s\S])*\n\n(?=## )/g, (part, key) =>
    key in SECTIONS ? "" : part,
  );
  const parts = Object.entries(SECTIONS).map(([key, section]) => `## ${key}\n\n${sectionOf(key, section)}\n\n`);
  return others.replace("## xiaozhi\n", `${parts.join("")}## xiaozhi\n`);
}

interface Described {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Described>>;
}

function sectionOf(key: string, { entry, description, noun }: FileSection): string {
  const { properties = {} } = z.toJSONSchema(entry, { io: "input" }) as Described;
  const rows = Object.entries(properties).map(([name, field]) => [
    `\`${name}\``,
    field.default === undefined || field.properties
      ? "–"
      : `\`${JSON.stringify(field.default).replaceAll(",", ", ")}\``,
    name === "zaguan" ? "Zaguan's own settings: those of a server, without `trusted`" : meaningOf(field),
  ]);
  const lead = `${description} Default: \`{}\`. Each ${noun} by a name that no other source has. More: [${key}.md](${key}.md).`;
  return `${lead}\n\n${tableOf(["key", "default", "meaning"], rows)}`.trimEnd();
}

function meaningOf({ description = "", properties = {} }: Described): string {
  const parts = Object.entries(properties).map(([name, field]) => {
    const otherwise = field.default === undefined ? "" : ` Default: \`${JSON.stringify(field.default)}\`.`;
    return `\`${name}\`: ${meaningOf(field)}${otherwise}`;
  });
  return [description, ...parts].join(" ");
}

function generatedDefaults(): string {
  const checked = checkFileForm({});
  if ("problems" in checked) throw new TypeError("an empty file is refused");
  const { limits: _, ...others } = checked.config;
  const members = Object.entries(others).map(([name, value]) => `  ${name}: ${written(value, 2)},`);
  return [
    "/** What a hub without a file runs with: what an empty file means. Made by `npm run generate`; loads no schemas. */",
    'import { DEFAULT_LIMITS } from "../contract/limits.ts";',
    'import type { ZaguanConfig } from "./types.ts";',
    "",
    "export const DEFAULT_CONFIG: ZaguanConfig = {",
    ...members,
    "  limits: DEFAULT_LIMITS,",
    "};",
    "",
  ].join("\n");
}

/** A value as the formatter has it: on one line if it fits there. */
function written(value: unknown, indent: number): string {
  const line = JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, " ")
    .replace(/"(\w+)": /g, "$1: ")
    .replace(/\[ (.*?) \]/g, "[$1]");
  if (typeof value !== "object" || value === null || Array.isArray(value) || line.length < WIDTH) return line;
  const inner = " ".repeat(indent + 2);
  const members = Object.entries(value).map(([name, each]) => `${inner}${name}: ${written(each, indent + 2)},\n`);
  return `{\n${members.join("")}${" ".repeat(indent)}}`;
}

function tableOfLimits(): string {
  const rows = Object.entries(LIMITS).map(([name, { otherwise, description }]) => [
    `\`${name}\``,
    `\`${otherwise}\``,
    description,
  ]);
  return tableOf(["key", "default", "meaning"], rows);
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |\n`).join("");
}

const isCheck = process.argv[2] === "--check";
for (const [name, make] of Object.entries(GENERATED)) {
  const file = new URL(`../${name}`, import.meta.url);
  const before = readFileSync(file, "utf8");
  const after = await make(before);
  if (after === before) continue;
  if (isCheck) {
    console.error(`${name} is out of date: run npm run generate`);
    process.exitCode = 1;
  } else writeFileSync(file, after);
}
