/**
 * REST endpoints as descriptions: what is asked is checked against the schema before a handler runs, what fails becomes
 * a problem, and the same description is what `/openapi.json` shows.
 */
import type { z } from "zod";
import type { Operation } from "../../contract/operation.ts";
import type { Principal } from "../../core/call.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { Language } from "../../messages/catalogue.ts";
import type { Door, DoorContext, Exchange, Route } from "../door.ts";
import { send } from "./answer.ts";
import { checked } from "./checked.ts";
import { addOperations } from "./described.ts";
import { sendProblem } from "./problem.ts";
import { readJson, readQuery } from "./request-parts.ts";

/** A request whose parts fit the description. */
export interface RestRequest<Query = unknown, Body = unknown> {
  readonly principal: Principal;
  readonly language: Language;
  /** What stands in the path for its placeholders. */
  readonly names: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** Path and query as they were asked for. */
  readonly url: string;
  header(name: string): string | undefined;
  /** Aborted when the caller hangs up before it has its answer. */
  leaving(): CancelSignal;
}

export interface RestAnswer {
  readonly status: number;
  /** Written as JSON. */
  readonly body?: unknown;
  /** The body, where it is JSON text already. */
  readonly text?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface RestRoute extends Operation {
  handle(request: RestRequest): RestAnswer | Promise<RestAnswer>;
}

/** What has no schema has the type `never` in the request, since nobody has read it. */
type RequestOf<Op extends Operation> = RestRequest<
  Op extends { readonly query: infer Query extends z.ZodType } ? z.output<Query> : never,
  Op extends { readonly body: infer Body extends z.ZodType } ? z.output<Body> : never
>;

/** An operation with what answers it, whose request has the types of the schemas. */
export function route<Op extends Operation>(
  operation: Op,
  handle: (request: RequestOf<Op>) => RestAnswer | Promise<RestAnswer>,
): RestRoute {
  return { ...operation, handle: handle as RestRoute["handle"] };
}

export function restDoor(context: DoorContext, name: string, routes: readonly RestRoute[]): Door {
  addOperations(context.gateway, routes);
  return { name, routes: routes.map((one) => routeOf(one, context)) };
}

function routeOf(described: RestRoute, context: DoorContext): Route {
  return {
    method: described.method,
    path: described.path,
    needs: described.needs,
    fail: sendProblem,
    handle: async (exchange) => {
      send(exchange, await described.handle(await requestOf(exchange, described, context)));
    },
  };
}

async function requestOf(exchange: Exchange, { query, body }: RestRoute, context: DoorContext): Promise<RestRequest> {
  const { principal, language, names } = exchange;
  const url = exchange.request.url ?? "/";
  return {
    principal,
    language,
    names,
    url,
    query: query && checked(query, readQuery(url), language),
    body: body && checked(body, await readJson(exchange, context.limits()), language),
    header: (name) => exchange.header(name),
    leaving: () => exchange.left,
  };
}
