/** What one REST endpoint promises: enough to check a request by, and to describe it to strangers in OpenAPI. */
import type { z } from "zod";
import type { Route } from "../door.ts";
import type { Right } from "../rights.ts";

export interface Operation {
  readonly method: Route["method"];
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
  /** As that of the route. */
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
