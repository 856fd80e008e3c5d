/** Where the fetched documents lie: outside of what git knows. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RealDocument } from "../documents.ts";

const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/openapi-documents", import.meta.url));

/** One folder a version, so that another version is fetched anew. */
export function folderOf({ package: pack }: Pick<RealDocument, "package">): string {
  return join(CACHE, pack.replaceAll(/[^\w.@-]+/g, "+"));
}

export function fileOf(document: RealDocument): string {
  return join(folderOf(document), "package", ...document.path.split("/"));
}

export function textOf(document: RealDocument): string {
  return readFileSync(fileOf(document), "utf8");
}
