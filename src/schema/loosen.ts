/**
 * Where a part of a schema is not enforced (a `format`, a pattern that cannot be matched safely), the part lets more
 * through than its author meant. Below `not`, `if` or `oneOf` that would refuse values that are right. Those keywords
 * are therefore softened wherever they depend on such a part: a schema that cannot be checked exactly is checked
 * kindly.
 */
import { type Closed, type ClosedObject, childrenOf } from "./keywords.ts";

type Some = ReadonlySet<ClosedObject>;

/** `inexact`: the subschemas that let more through than they say; `unsureOfNames`: those with a lost name pattern. */
export function loosen(root: ClosedObject, inexact: Some, unsureOfNames: Some): void {
  if (inexact.size === 0) return;
  const users = usersOf(root);
  const touched = reachedFrom(inexact, users);
  const isTouched = (schema: unknown) => touched.has(schema as ClosedObject);
  let evaluationLost = unsureOfNames.size > 0;
  for (const schema of users.keys()) {
    if (!isTouched(schema)) continue;
    if (unsureOfNames.has(schema)) delete schema["additionalProperties"];
    if (isTouched(schema["not"])) delete schema["not"];
    if (isTouched(schema["contains"])) delete schema["maxContains"];
    softenOneOf(schema, isTouched);
    if (isTouched(schema["if"])) {
      for (const keyword of ["if", "then", "else"]) delete schema[keyword];
      evaluationLost = true;
    }
  }
  if (!evaluationLost) return;
  for (const schema of users.keys()) {
    delete schema["unevaluatedProperties"];
    delete schema["unevaluatedItems"];
  }
}

/** "Exactly one" can be said only of alternatives that are known exactly; otherwise it becomes "at least one". */
function softenOneOf(schema: ClosedObject, isTouched: (schema: unknown) => boolean): void {
  const alternatives = schema["oneOf"] as Closed[] | undefined;
  if (!alternatives?.some(isTouched)) return;
  delete schema["oneOf"];
  schema["allOf"] = [...((schema["allOf"] as Closed[] | undefined) ?? []), { anyOf: alternatives }];
}

/** Every subschema, with those that contain it or refer to it. */
function usersOf(root: ClosedObject): Map<ClosedObject, ClosedObject[]> {
  const definitions = root["$defs"] as Record<string, Closed>;
  const users = new Map<ClosedObject, ClosedObject[]>();
  const open: ClosedObject[] = [root];
  const meet = (schema: Closed | undefined, user: ClosedObject) => {
    if (typeof schema !== "object") return;
    const known = users.get(schema);
    if (known) known.push(user);
    else {
      users.set(schema, [user]);
      open.push(schema);
    }
  };
  users.set(root, []);
  for (let schema = open.pop(); schema; schema = open.pop()) {
    for (const child of childrenOf(schema)) meet(child, schema);
    const reference = schema["$ref"];
    if (typeof reference === "string") meet(definitions[reference.slice("#/$defs/".length)], schema);
  }
  return users;
}

function reachedFrom(start: Some, users: Map<ClosedObject, ClosedObject[]>): Set<ClosedObject> {
  const reached = new Set(start);
  for (const schema of reached) for (const user of users.get(schema) ?? []) reached.add(user);
  return reached;
}
