/**
 * REST endpoints as descriptions: what is asked is checked against the schema before a handler runs, what fails becomes
 * a problem, and the same description is what `/openapi.json` shows.
 */
import type { z } from "zod";
import type { Principal } from "../../core/call.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { Language } from "../../messages/catalogue.ts";
import type { Door, DoorContext, Exchange, Route } from "../door.ts";
import type { Right } from "../rights.ts";
import { send } from "./answer.ts";
import { checked } from "./checked.ts";
import { addOperations } from "./described.ts";
import type { BodySchema, Operation, QuerySchema } from "./operation.ts";
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

export interface RestRoute extends Omit<Operation, "needs"> {
  handle(request: RestRequest): RestAnswer | Promise<RestAnswer>;
}

/** A route as it is written down, where the handler's request has the types of the schemas. */
export interface TypedRoute<Query extends QuerySchema, Body extends BodySchema> extends Omit<Operation, "needs"> {
  readonly query?: Query | undefined;
  readonly body?: Body | undefined;
  handle(request: RestRequest<z.output<Query>, z.output<Body>>): RestAnswer | Promise<RestAnswer>;
}

/**
 * Only for its types: routes of different schemas fit into one list afterwards. What has no schema has the type `never`
 * in the request, since nobody has read it.
 */
export function route<Query extends QuerySchema = never, Body extends BodySchema = never>(
  written: TypedRoute<Query, Body>,
): RestRoute {
  return written as unknown as RestRoute;
}

/** What each of them needs is said by whoever opens the door. */
export function restDoor(
  context: DoorContext,
  name: string,
  routes: readonly RestRoute[],
  rightOf: (route: RestRoute) => Right,
): Door {
  const described = routes.map((route) => ({ ...route, needs: rightOf(route) }));
  addOperations(context.gateway, described);
  return { name, routes: described.map((one) => routeOf(one, context)) };
}

function routeOf(described: RestRoute & Operation, context: DoorContext): Route {
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
    ...{ principal, language, names, url },
    query: query && checked(query, readQuery(url), language),
    body: body && checked(body, await readJson(exchange, context.limits()), language),
    header: (name) => exchange.header(name),
    leaving: () => exchange.left,
  };
}
