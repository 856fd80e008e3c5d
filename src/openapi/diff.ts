/** What changed between two readings of an API, by the names of its tools. */
import type { ApiOperation } from "../sources/api/operation.ts";

interface ChangedOperation {
  readonly name: string;
  /** The members that differ: `inputSchema`, `path`, … */
  readonly members: readonly (keyof ApiOperation)[];
}

interface OperationsDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly ChangedOperation[];
}

const MEMBERS: readonly (keyof ApiOperation)[] = [
  ...(["title", "description", "method", "path", "server", "parameters", "body"] as const),
  ...(["inputSchema", "outputSchema", "security"] as const),
];

/** The order of operations, and of members inside them, is no difference. */
export function diffOperations(before: readonly ApiOperation[], after: readonly ApiOperation[]): OperationsDiff {
  const old = new Map(before.map((operation) => [operation.name, operation]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: after.filter(({ name }) => !old.has(name)).map(({ name }) => name),
    removed: before.filter(({ name }) => !names.has(name)).map(({ name }) => name),
    changed: after.flatMap((operation) => changeOf(old.get(operation.name), operation)),
  };
}

function changeOf(before: ApiOperation | undefined, after: ApiOperation): ChangedOperation[] {
  if (!before) return [];
  const members = MEMBERS.filter((each) => !isSame(before[each], after[each]));
  return members.length > 0 ? [{ name: after.name, members }] : [];
}

/** As JSON would have it: a member that is undefined is not there. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [written(one), written(other)];
  return left.size === right.size && [...left].every(([key, value]) => right.has(key) && isSame(value, right.get(key)));
}

function written(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, each]) => each !== undefined));
}
