/**
 * An operation with its arguments as one HTTP request. Only what the operation declares is read from the arguments.
 * Credentials win over what was configured, and that over arguments, where they have the same name.
 */
import { TRANSPORT_HEADERS } from "../../contract/rules.ts";
import { VERSION } from "../../version.ts";
import { type Arguments, argumentOf, missingArgument, wrongArgument } from "./arguments.ts";
import { type Credentials, isAtHome } from "./auth.ts";
import { bodyOf } from "./body.ts";
import { headerText, type Pair, pairsOf, pathText, percentEncode } from "./encode.ts";
import type { ApiOperation, ApiOptions, ApiParameter, HttpMethod, ParameterPlace } from "./operation.ts";

export interface ApiRequest {
  readonly method: HttpMethod;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

export function requestOf(
  operation: ApiOperation,
  args: Arguments,
  options: Pick<ApiOptions, "baseUrl" | "headers">,
  credentials: Credentials,
): ApiRequest {
  const body = bodyOf(operation, args, credentials.body);
  const url = urlOf(operation, args, baseOf(operation, options.baseUrl), credentials);
  // What was configured is for the API alone, and may be as secret as its credentials.
  const configured = isAtHome(operation, options.baseUrl) ? options.headers : {};
  const headers = {
    ...COMMON,
    ...headersIn(operation, args),
    ...allowed(Object.entries(configured)),
    ...(body && { "content-type": body.contentType }),
    ...cookieHeader(operation, args, configured, credentials),
    ...credentials.headers,
  };
  return { method: operation.method, url, headers, ...(body && { body: body.content }) };
}

const COMMON = {
  accept: "application/json, */*;q=0.8",
  "accept-encoding": "identity",
  "user-agent": `zaguan/${VERSION}`,
};

/** OpenAPI says that these are no parameters. */
const NOT_PARAMETERS: ReadonlySet<string> = new Set(["accept", "content-type", "authorization", "cookie"]);

/** A server that is written without a host is where the API is. */
function baseOf({ server }: ApiOperation, baseUrl: string): string {
  return server === undefined ? baseUrl : (URL.parse(server, baseUrl)?.href ?? server);
}

function urlOf(operation: ApiOperation, args: Arguments, base: string, credentials: Credentials): string {
  const [server = "", serverQuery] = split(base);
  const [template = "", ownQuery] = split(operation.path);
  const path = pathOf(operation, template, args);
  const secret = credentials.query.map(([name, value]): Pair => [percentEncode(name), percentEncode(value)]);
  const taken = new Set(secret.map(([name]) => name));
  const given = pairsIn(operation, args, "query").filter(([name]) => !taken.has(name));
  const query = [serverQuery, ownQuery, ...[...given, ...secret].map(([name, value]) => `${name}=${value}`)];
  const text = query.filter((part) => part !== undefined && part !== "").join("&");
  return `${server.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}${text === "" ? "" : `?${text}`}`;
}

function split(url: string): readonly [string, string | undefined] {
  const [bare = ""] = url.split("#", 1);
  const at = bare.indexOf("?");
  return at < 0 ? [bare, undefined] : [bare.slice(0, at), bare.slice(at + 1)];
}

function pairsIn(operation: ApiOperation, args: Arguments, place: ParameterPlace): Pair[] {
  return operation.parameters
    .filter((parameter) => parameter.in === place)
    .flatMap((parameter) => pairsOf(parameter, givenFor(parameter, args)));
}

function headersIn(operation: ApiOperation, args: Arguments): Readonly<Record<string, string>> {
  const given = operation.parameters.flatMap((parameter): Pair[] => {
    if (parameter.in !== "header" || NOT_PARAMETERS.has(parameter.name.toLowerCase())) return [];
    const text = headerText(parameter, givenFor(parameter, args));
    return text === undefined ? [] : [[parameter.name, text]];
  });
  return allowed(given);
}

function allowed(headers: readonly Pair[]): Readonly<Record<string, string>> {
  const lower = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(lower.filter(([name]) => !TRANSPORT_HEADERS.has(name)));
}

/** No header at all where there are no cookies. */
function cookieHeader(
  operation: ApiOperation,
  args: Arguments,
  headers: ApiOptions["headers"],
  credentials: Credentials,
): { readonly cookie?: string } {
  const secret = credentials.cookies.map(([name, value]): Pair => [percentEncode(name), percentEncode(value)]);
  const taken = new Set(secret.map(([name]) => name));
  const given = pairsIn(operation, args, "cookie").filter(([name]) => !taken.has(name));
  const configured = Object.entries(headers).flatMap(([name, value]) => (/^cookie$/i.test(name) ? value : []));
  const cookies = [...configured, ...[...given, ...secret].map(([name, value]) => `${name}=${value}`)];
  return cookies.length > 0 ? { cookie: cookies.join("; ") } : {};
}

function givenFor(parameter: ApiParameter, args: Arguments): unknown {
  const value = argumentOf(args, parameter.argument) ?? parameter.default;
  if (parameter.required && (value === undefined || value === null)) throw missingArgument(parameter.argument);
  return value;
}

/** The template, without its query, with the values in their places, which can neither add segments nor go up. */
function pathOf(operation: ApiOperation, template: string, args: Arguments): string {
  const parameters = operation.parameters.filter((parameter) => parameter.in === "path");
  const path = template.replace(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const parameter = parameters.find((each) => each.name === name);
    if (!parameter) throw wrongArgument("api.pathPlace", { operation: operation.name, name });
    return filled(parameter, args);
  });
  const names = parameters.map(({ argument }) => argument).join(", ");
  if (path.split("/").some(isDots)) throw wrongArgument("api.pathUp", { name: names });
  return path;
}

/** An empty value would make it the path of something else. */
function filled(parameter: ApiParameter, args: Arguments): string {
  const value = argumentOf(args, parameter.argument) ?? parameter.default;
  const text = pathText(parameter, value);
  if (text === undefined) throw missingArgument(parameter.argument);
  if (text === "") throw wrongArgument("api.pathEmpty", { name: parameter.argument });
  if (climbs(text)) throw wrongArgument("api.pathUp", { name: parameter.argument });
  return text;
}

/** Some servers decode before they split, though nobody should. */
function climbs(text: string): boolean {
  return text.split(/%2F|%5C/).some(isDots);
}

/** A template's own `%2e` counts as well: URLs are read so. */
function isDots(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}
