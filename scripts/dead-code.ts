/** Says what nobody needs in src/, and which of its files import each other in a circle; part of `npm run check`. */
import { globSync, readFileSync } from "node:fs";
import { sep } from "node:path";
import { circular, unusedExports, unusedFiles } from "../test/support/dead-code.ts";

const files = globSync("{src,test,scripts,bench}/**/*.{ts,mjs}", { exclude: ["**/node_modules/**"] });
const sources = new Map(files.map((file) => [file.split(sep).join("/"), readFileSync(file, "utf8")]));
const found = [
  ...unusedExports(sources),
  ...unusedFiles(sources).map((file) => `${file} is imported by nobody but tests`),
  ...circular(sources).map((file) => `${file} is part of a circle of imports`),
];

if (found.length > 0) console.log(found.join("\n"));
process.exitCode = found.length > 0 ? 1 : 0;
