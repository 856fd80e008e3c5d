/**
 * REST endpoints as descriptions: a request is checked against the schema before a handler runs, a failure becomes a
 * problem, and the same description is what `/openapi.json` shows. A lazy door loads its descriptions when it is first asked.
 */
import type { z } from "zod";
import type { Method, Operation, Right } from "../../contract/operation.ts";
import type { Principal } from "../../core/call.ts";
import type { Gateway } from "../../core/gateway.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { Language } from "../../messages/catalogue.ts";
import type { Door, DoorContext, Exchange, Route } from "../door.ts";
import { JSON_TYPE } from "../http/exchange.ts";
import { checked } from "./checked.ts";
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

/** What stands in the path for `{id}`. */
export function idOf({ names }: Pick<RestRequest, "names">): string {
  return names["id"] ?? "";
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

function send(exchange: Exchange, answer: RestAnswer): void {
  if (answer.status === 304) sendUnchanged(exchange, answer);
  else exchange.reply(answer.status, textOf(answer), headersOf(answer));
}

function headersOf({ headers, body, text }: RestAnswer): Readonly<Record<string, string>> {
  if (body === undefined && text === undefined) return headers ?? {};
  return headers ? { ...JSON_TYPE, ...headers } : JSON_TYPE;
}

function textOf({ body, text }: RestAnswer): string {
  return text ?? (body === undefined ? "" : JSON.stringify(body));
}

/** Not by `reply`, which would write a `Content-Length` of 0: in a 304 that stands for the body that is not sent. */
function sendUnchanged(exchange: Exchange, { headers }: RestAnswer): void {
  const { response } = exchange;
  if (response.headersSent || response.destroyed) return;
  response.writeHead(304, { ...headers });
  exchange.end();
}

/** The operations of each hub. Its doors never see each other; what they have in common is the gateway. */
const OPERATIONS = new WeakMap<Gateway, Map<string, Operation>>();

function addOperations(hub: Gateway, operations: readonly Operation[]): void {
  const all = OPERATIONS.get(hub) ?? new Map<string, Operation>();
  OPERATIONS.set(hub, all);
  for (const operation of operations) all.set(`${operation.method} ${operation.path}`, operation);
}

type Place = readonly [method: Method, path: string, needs: Right];

/** What loads each lazy door of a hub. */
const LOADERS = new WeakMap<Gateway, Set<() => Promise<unknown>>>();

/** A door whose endpoints are known by their places alone until somebody asks for one, or for their description. */
export function lazyRestDoor(
  context: DoorContext,
  name: string,
  places: Readonly<Record<string, Place>>,
  load: () => Promise<readonly RestRoute[]>,
): Door {
  let door: Promise<Door> | undefined;
  const open = (): Promise<Door> => {
    door ??= load().then((routes) => restDoor(context, name, routes));
    return door;
  };
  const loaders = LOADERS.get(context.gateway) ?? new Set();
  LOADERS.set(context.gateway, loaders.add(open));
  const handle = async (exchange: Exchange, [method, path]: Place): Promise<void> => {
    const { routes } = await open();
    await routes.find((route) => route.method === method && route.path === path)?.handle(exchange);
  };
  return {
    name,
    routes: Object.values(places).map((place) => ({
      method: place[0],
      path: place[1],
      needs: place[2],
      handle: (exchange) => handle(exchange, place),
      fail: sendProblem,
    })),
  };
}

/** All operations of a hub, of the doors too that nobody has asked yet. */
export async function describedOperations(hub: Gateway): Promise<readonly Operation[]> {
  await Promise.all([...(LOADERS.get(hub) ?? [])].map((open) => open()));
  return [...(OPERATIONS.get(hub)?.values() ?? [])];
}
