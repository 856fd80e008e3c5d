/** What one REST endpoint promises: enough to check a request by, to describe it in OpenAPI, and to type a client. */
import type { z } from "zod";

/** From the least to the most, with who has it. */
export const RIGHTS = {
  nobody: "Everybody, without a key.",
  see: "Every key, and the local user; each sees what it may.",
  call: "Every key, and the local user; each calls what it may.",
  unlimited: "Keys that are not limited to some tools, and the local user; no agents.",
  admin: "Keys with `--admin`, and the local user.",
} as const;

export type Right = keyof typeof RIGHTS;

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Operation {
  readonly method: Method;
  /** As that of a route: `/mcp/servers/{id}`. */
  readonly path: string;
  /** A name for generated clients, such as `listServers`; no two operations share one. */
  readonly operationId: string;
  /** The heading under which it is shown. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string | undefined;
  /** What the path's placeholders stand for, where the name does not say it. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  readonly needs: Right;
  readonly query?: QuerySchema | undefined;
  /** For the description alone. */
  readonly headers?: QuerySchema | undefined;
  readonly body?: BodySchema | undefined;
  /** By status. Failures need none: all of them are problems (RFC 9457). */
  readonly answers: Readonly<Record<number, AnswerDescription>>;
}

export interface AnswerDescription {
  readonly description: string;
  /** Of a JSON body. A schema with `.meta({ id })` becomes a component of that name. */
  readonly schema?: z.ZodType | undefined;
  /** What the answer's headers say, by their names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Parameters come as texts: `z.coerce.number()`, `z.stringbool()`. Those it does not know are passed over. */
export type QuerySchema = z.ZodObject;

/** Strict, so that a misspelt key is told and not forgotten. */
export type BodySchema = z.ZodObject<z.core.$ZodLooseShape, z.core.$strict>;

/** An operation as it is written down: under its id, beneath its heading. */
type Written = Omit<Operation, "operationId" | "tag">;

type Named<Written> = {
  readonly [Id in keyof Written]: Written[Id] & { readonly operationId: Id; readonly tag: string };
};

/** Operations of one heading, each with its id, and with the types of its schemas and of its path. */
export function operationsOf<const Given extends Readonly<Record<string, Written>>>(
  tag: string,
  given: Given,
): Named<Given> {
  const named = Object.entries(given).map(([operationId, operation]) => [
    operationId,
    { ...operation, operationId, tag },
  ]);
  return Object.fromEntries(named) as Named<Given>;
}

/** Where an operation is, and the right that it needs; the type keeps the path, whose names a client must give. */
export function at<const Path extends string>(method: Method, path: Path, needs: Right) {
  return { method, path, needs } as const;
}
