/** A typed client of the REST API, for the console and the command line: types travel, schemas stay with the hub. */
import type { z } from "zod";
import type { In, Of } from "./fields.ts";
import { PLACES } from "./generated.ts";
import type { Operation } from "./operation.ts";
import type { operations } from "./operations.ts";

type Doors = typeof operations;
type Operations = Doors["registry"] & Doors["keys"] & Doors["live"] & Doors["home"] & Doors["admin"] & Doors["cluster"];
type OperationId = keyof Operations;

type Names<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Query<Schema extends z.ZodType> = {
  readonly [Name in keyof z.input<Schema>]?: string | number | boolean | undefined;
};

/** What stands in the path, and beside it what is asked for or sent. */
type Given<Op extends Operation> = { readonly [Name in Names<Op["path"]>]: string | number } & (Op extends {
  readonly body: infer Body extends z.ZodType;
}
  ? { readonly body: In<Body> }
  : object) &
  (Op extends { readonly query: infer Asked extends z.ZodType } ? { readonly query?: Query<Asked> } : object);

type Success<Answers> = Answers extends { readonly 200: infer Answer } | { readonly 201: infer Answer }
  ? Answer
  : never;
type AnswerOf<Op extends Operation> =
  Success<Op["answers"]> extends { readonly schema: infer Body extends z.ZodType } ? Of<Body> : undefined;

/** `Extra` is what a sender takes beside a request: a signal, a time limit. */
export type Client<Extra> = {
  readonly [Id in OperationId]: (
    ...asked: object extends Given<Operations[Id]>
      ? [given?: Given<Operations[Id]>, extra?: Extra]
      : [given: Given<Operations[Id]>, extra?: Extra]
  ) => Promise<AnswerOf<Operations[Id]>>;
};

type Send<Extra> = (method: string, path: string, body: object | undefined, extra?: Extra) => Promise<unknown>;

interface Asked {
  readonly [name: string]: unknown;
  readonly body?: object;
  readonly query?: Readonly<Record<string, unknown>>;
}

const ALL: Readonly<Record<string, readonly [string, string, string]>> = Object.assign({}, ...Object.values(PLACES));

export function makeClient<Extra>(send: Send<Extra>): Client<Extra> {
  const calls = Object.entries(ALL).map(([id, [method, path]]) => [
    id,
    (given: Asked = {}, extra?: Extra) => send(method, placed(path, given), given.body, extra),
  ]);
  return Object.fromEntries(calls) as Client<Extra>;
}

/** Where an operation is: for senders that need more of its answer than the body. */
export function pathOf<Id extends OperationId>(id: Id, given: Omit<Given<Operations[Id]>, "body">): string {
  return placed(ALL[id]?.[1] ?? "", given as Asked);
}

function placed(path: string, given: Asked): string {
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));
  const asked = Object.entries(given.query ?? {}).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return asked.length > 0 ? `${place}?${new URLSearchParams(asked)}` : place;
}
