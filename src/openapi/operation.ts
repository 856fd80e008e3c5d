/** One operation of a document as a tool. */
import { isObject } from "../contract/rules.ts";
import type { ApiOperation } from "../sources/api/operation.ts";
import { readBody } from "./body.ts";
import type { OpenApiDocument } from "./document.ts";
import { inputSchema, looseArgument, standalone } from "./input-schema.ts";
import { StepCount } from "./limits.ts";
import { compact, type Form, fault, formAt, listAt, member, type References, textAt, wordOf } from "./lookup.ts";
import { chooseMedia } from "./media.ts";
import type { FoundOperation, OperationsOptions } from "./operations.ts";
import { type Argument, readParameters } from "./parameters.ts";
import { type JsonSchema, SchemaBook } from "./schema-book.ts";
import { type ReadScheme, securityOf } from "./security.ts";
import { describeOperation, titleOf, toolName, UniqueNames } from "./wording.ts";

/** What the operations of one document share. */
export class Context {
  readonly root: Form;
  readonly references: References;
  readonly options: OperationsOptions;
  readonly usableSchemes: ReadonlySet<string>;
  /** In full, and for those that are too large so: with less and less. */
  readonly books: readonly SchemaBook[];
  readonly answers: SchemaBook;
  readonly steps: StepCount = new StepCount();

  constructor(
    { root, dialect }: OpenApiDocument,
    references: References,
    schemes: readonly ReadScheme[],
    options: OperationsOptions,
  ) {
    this.root = root;
    this.references = references;
    this.options = options;
    this.usableSchemes = new Set(schemes.map(({ name }) => name));
    this.books = DETAILS.map((detail) => new SchemaBook(references, { dialect, direction: "request", detail }));
    this.answers = new SchemaBook(references, { dialect, direction: "answer" });
  }
}

const DETAILS = ["full", "exact", "loose"] as const;

type Call = Pick<ApiOperation, "parameters" | "body" | "inputSchema">;

export function readOperation(found: FoundOperation, context: Context, names: UniqueNames): ApiOperation {
  const { method, raw } = found;
  const call = readCall(found, context);
  const path = found.path.split("#", 1)[0] ?? "";
  const [summary, description] = [textAt(raw, "summary"), textAt(raw, "description")];
  return compact<ApiOperation>({
    name: names.take(toolName(textAt(raw, "operationId"), method, path)),
    title: titleOf(summary),
    description: describeOperation({ summary, description, deprecated: raw["deprecated"] === true, method, path }),
    method,
    path,
    server: serverOf(found, context.options.base),
    ...call,
    outputSchema: context.options.outputSchemas ? outputSchema(found, context) : undefined,
    security: securityOf(context.root, raw, context.usableSchemes),
  });
}

/** The request of an operation, with as much detail of the schemas as fits the size limit. */
function readCall(found: FoundOperation, context: Context): Call {
  let last: ReturnType<typeof describeCall> | undefined;
  for (const book of context.books) {
    last = describeCall(found, context, book);
    const schema = inputSchema(last.arguments, book, context.steps);
    if (schema) return compact<Call>({ ...last.call, inputSchema: schema });
  }
  const [book] = context.books;
  const loose = book && last && inputSchema(last.arguments.map(looseArgument), book, context.steps);
  if (!loose) throw fault(found.where, "has too many arguments");
  return compact<Call>({ ...last?.call, parameters: last?.call.parameters ?? [], inputSchema: loose });
}

function describeCall(
  { method, raw, pathItem, path, where }: FoundOperation,
  { references, steps }: Context,
  book: SchemaBook,
): { call: Omit<Call, "inputSchema">; arguments: readonly Argument[] } {
  const names = new UniqueNames();
  const place = { pathItem, operation: raw, path: path.split("#", 1)[0] ?? "", where };
  const { parameters, arguments: args } = readParameters(place, references, book, names, steps);
  const hasBody = method !== "GET" && method !== "HEAD" && method !== "TRACE";
  const read = hasBody
    ? readBody(raw["requestBody"], { references, book, names, steps, where: `${where}.requestBody` })
    : undefined;
  return {
    call: compact<Omit<Call, "inputSchema">>({ parameters, body: read?.body }),
    arguments: [...args, ...(read?.arguments ?? [])],
  };
}

/** The server of this operation, if it names one of its own. */
function serverOf({ raw, pathItem, where }: FoundOperation, base: string | undefined): string | undefined {
  const holder = [raw, pathItem].find((each) => listAt(each, "servers").length > 0);
  if (!holder) return undefined;
  const [server] = serversOf(holder, base);
  if (server === undefined) throw fault(where, "has no server that HTTP reaches");
  return server;
}

/** Of the first answer that means success, if it is a JSON object. */
function outputSchema({ raw, where }: FoundOperation, { references, answers, steps }: Context): JsonSchema | undefined {
  const responses = formAt(raw, "responses");
  const status = Object.keys(responses).find((code) => /^2(?:\d\d|XX)$/i.test(code));
  if (status === undefined) return undefined;
  const content = formAt(references.form(responses[status], where), "content");
  const chosen = chooseMedia(Object.keys(content));
  if (chosen?.kind !== "json") return undefined;
  const target = references.follow(member(content[chosen.written], "schema"), where).value;
  const translated = answers.translate(target, where);
  return member(translated.schema, "type") === "object" ? standalone(translated, answers, steps) : undefined;
}

const LONGEST_ADDRESS = 2_048;

/**
 * Where an API lives: the addresses that HTTP reaches, with their variables filled in. `base` is where the document came
 * from; without it relative addresses stay relative.
 */
export function serversOf(holder: unknown, base: string | undefined): string[] {
  const urls = listAt(holder, "servers").map((server) => addressOf(server, base));
  return [...new Set(urls.filter((url) => url !== undefined))];
}

function addressOf(server: unknown, base: string | undefined): string | undefined {
  const written = textAt(server, "url");
  const filled = written === undefined ? undefined : fill(written, member(server, "variables"));
  if (filled === undefined || filled.length > LONGEST_ADDRESS) return undefined;
  // Some write nothing for the root.
  const place = filled === "" ? "/" : filled;
  const url = base === undefined ? place : URL.parse(place, base)?.href;
  if (url === undefined || (/^[a-z][a-z0-9+.-]*:/i.test(url) && !/^https?:\/\//i.test(url))) return undefined;
  return url.length > 1 ? url.replace(/\/+$/, "") : url;
}

/** Undefined if a variable has no value: the address would be a guess. */
function fill(url: string, variables: unknown): string | undefined {
  let complete = true;
  const filled = url.slice(0, LONGEST_ADDRESS).replace(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const value = valueFor(member(variables, name));
    if (value === undefined) complete = false;
    return value ?? "";
  });
  return complete ? filled : undefined;
}

function valueFor(variable: unknown): string | undefined {
  if (!isObject(variable)) return undefined;
  return wordOf(variable["default"] ?? listAt(variable, "enum")[0]);
}
