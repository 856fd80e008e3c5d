/** The operations of a document as tools. One that cannot be read is named with its reason, and the others come anyway. */
import { isObject } from "../contract/rules.ts";
import type { ApiOperation, HttpMethod } from "../sources/api/operation.ts";
import type { OpenApiDocument } from "./document.ts";
import { type Form, fault, formAt, listAt, member, References, reasonOf, textAt } from "./lookup.ts";
import { Context, readOperation, serversOf } from "./operation.ts";
import { type ReadScheme, type Skipped, schemesOf } from "./security.ts";
import { UniqueNames } from "./wording.ts";

export interface OperationsOptions extends Selection {
  /** Where the document came from: relative servers are meant from there. */
  readonly base?: string | undefined;
  /** Also tell what the answers look like. Off: few APIs keep to what they promise, and clients refuse what breaks it. */
  readonly outputSchemas?: boolean | undefined;
}

export interface ReadApi {
  readonly title: string;
  /** The first is the usual one; relative if it is written so and nobody said from where. */
  readonly servers: readonly string[];
  readonly operations: readonly ApiOperation[];
  readonly schemes: readonly ReadScheme[];
  readonly skipped: readonly Skipped[];
  /** All tags of the document, to choose from. */
  readonly tags: readonly string[];
}

const METHODS: readonly HttpMethod[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];

/** Throws where nothing can be read, where nothing is wanted that is there, and where it is too much. */
export function operationsOf(document: OpenApiDocument, options: OperationsOptions = {}): ReadApi {
  const { root, limits } = document;
  const references = new References(root);
  const { schemes, skipped: unusable } = schemesOf(root, references);
  const { found, skipped: broken, tags } = findOperations(root, references);
  const wanted = found.filter(({ method, path, raw }) => isWanted(options, method, path, raw));
  if (wanted.length > limits.operations) {
    throw fault("paths", `${wanted.length} operations are more than ${limits.operations}; choose tags or paths`);
  }
  if (wanted.length === 0 && found.length > 0) throw fault("paths", "has no operation with these tags or paths");
  const context = new Context(document, references, schemes, options);
  const { operations, skipped } = readAll(wanted, context);
  const all = [...unusable, ...broken, ...skipped];
  if (operations.length === 0) throw fault("paths", all.at(-1)?.reason ?? "describes no operation");
  return { title: titleOf(root), servers: serversOfRoot(root, options.base), operations, schemes, skipped: all, tags };
}

export interface FoundOperation {
  readonly method: HttpMethod;
  readonly path: string;
  readonly pathItem: Form;
  readonly raw: Form;
  readonly where: string;
}

interface Found {
  readonly found: readonly FoundOperation[];
  readonly skipped: readonly Skipped[];
  readonly tags: readonly string[];
}

function findOperations(root: Form, references: References): Found {
  const found: FoundOperation[] = [];
  const skipped: Skipped[] = [];
  for (const [path, raw] of Object.entries(formAt(root, "paths"))) {
    if (!path.startsWith("/")) continue;
    try {
      found.push(...operationsIn(path, references.form(raw, `paths.${path}`)));
    } catch (cause) {
      skipped.push({ where: path, reason: reasonOf(cause) });
    }
  }
  return { found, skipped, tags: [...new Set(found.flatMap(({ raw }) => tagsOf(raw)))] };
}

function operationsIn(path: string, pathItem: Form): FoundOperation[] {
  return METHODS.flatMap((method) => {
    const raw = member(pathItem, method.toLowerCase());
    if (!isObject(raw)) return [];
    return [{ method, path, pathItem, raw, where: `paths.${path}.${method.toLowerCase()}` }];
  });
}

function readAll(wanted: readonly FoundOperation[], context: Context): Pick<ReadApi, "operations" | "skipped"> {
  const names = new UniqueNames();
  const operations: ApiOperation[] = [];
  const skipped: Skipped[] = [];
  for (const found of wanted) {
    try {
      operations.push(readOperation(found, context, names));
    } catch (cause) {
      if (context.steps.isSpent) throw cause;
      skipped.push({ where: `${found.method} ${found.path}`, reason: reasonOf(cause) });
    }
  }
  return { operations, skipped };
}

function titleOf(root: Form): string {
  return textAt(formAt(root, "info"), "title")?.trim().slice(0, 200) || "API";
}

/** Without any, an API lives at the root of where its document is. */
function serversOfRoot(root: Form, base: string | undefined): string[] {
  const servers = serversOf(root, base);
  if (servers.length > 0 || base === undefined) return servers;
  return serversOf({ servers: [{ url: "/" }] }, base);
}

/** Which operations are wanted. */
interface Selection {
  readonly tags?: readonly string[] | undefined;
  /** `/pets`, `/pets/*` for all below, or one operation as `GET /pets`. */
  readonly paths?: readonly string[] | undefined;
}

/** A selection that names nothing wants everything; otherwise a tag or a path that fits is enough. */
function isWanted({ tags = [], paths = [] }: Selection, method: string, path: string, operation: unknown): boolean {
  if (tags.length === 0 && paths.length === 0) return true;
  return tagsOf(operation).some((tag) => tags.includes(tag)) || paths.some((wanted) => fits(wanted, method, path));
}

function tagsOf(operation: unknown): string[] {
  return listAt(operation, "tags").filter((tag) => typeof tag === "string");
}

function fits(wanted: string, method: string, path: string): boolean {
  const [, verb, place = ""] = /^(?:([A-Za-z]+) )?(.*)$/s.exec(wanted) ?? [];
  if (verb !== undefined && verb.toUpperCase() !== method) return false;
  return place.endsWith("*") ? path.startsWith(place.slice(0, -1)) : path === place;
}
