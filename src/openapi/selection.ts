/** Which operations of a document are wanted: by tag, or by path. */
import { listAt } from "./plain.ts";

export interface Selection {
  readonly tags?: readonly string[] | undefined;
  /** `/pets`, `/pets/*` for all below, or one operation as `GET /pets`. */
  readonly paths?: readonly string[] | undefined;
}

/** One that names nothing wants everything; otherwise a tag or a path that fits is enough. */
export function isWanted(
  { tags = [], paths = [] }: Selection,
  method: string,
  path: string,
  operation: unknown,
): boolean {
  if (tags.length === 0 && paths.length === 0) return true;
  return tagsOf(operation).some((tag) => tags.includes(tag)) || paths.some((wanted) => fits(wanted, method, path));
}

export function tagsOf(operation: unknown): string[] {
  return listAt(operation, "tags").filter((tag) => typeof tag === "string");
}

function fits(wanted: string, method: string, path: string): boolean {
  const [, verb, place = ""] = /^(?:([A-Za-z]+) )?(.*)$/s.exec(wanted) ?? [];
  if (verb !== undefined && verb.toUpperCase() !== method) return false;
  return place.endsWith("*") ? path.startsWith(place.slice(0, -1)) : path === place;
}
