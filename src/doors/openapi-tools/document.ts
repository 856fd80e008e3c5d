/**
 * The tools of a list as one OpenAPI document, in which each is an operation. Made as text: that of a list is made once,
 * that of a tool once for all lists. A tool whose name cannot stand in a URL is left out.
 */
import { createHash } from "node:crypto";
import type { ToolDefinition } from "../../core/call.ts";
import type { ListedTool } from "../../core/gateway.ts";
import type { OpenApiDocument } from "../rest/openapi.ts";
import { TOOLS_PATH } from "./index.ts";
import { selfContained } from "./self-contained.ts";

type Json = Readonly<Record<string, unknown>>;

const LONGEST_SEGMENT = 4_000;
/** Names that clients would remove from a path when they normalize it. */
const NO_SEGMENTS: readonly string[] = ["", ".", ".."];

export class ToolDocuments {
  /** Callers who may use everything share their lists until these change. */
  readonly #paths = new WeakMap<readonly ListedTool[], string>();
  readonly #operations = new WeakMap<ToolDefinition, string>();

  /**
   * @param frame a document without operations, whose components every operation may refer to
   * @param server where the caller has reached us
   */
  write(tools: readonly ListedTool[], frame: OpenApiDocument, server: string): string {
    const { openapi, info, security, components } = frame;
    const head = JSON.stringify({ openapi, info, servers: [{ url: server }], security, components });
    return `${head.slice(0, -1)},"paths":${this.#pathsOf(tools)}}`;
  }

  #pathsOf(tools: readonly ListedTool[]): string {
    const kept = this.#paths.get(tools) ?? this.#writePaths(tools);
    this.#paths.set(tools, kept);
    return kept;
  }

  #writePaths(tools: readonly ListedTool[]): string {
    const placed = tools.flatMap(({ source, definition }) => {
      const segment = segmentOf(source, definition.name);
      return segment === undefined ? [] : [{ segment, definition }];
    });
    const ids = operationIds(placed.map(({ definition }) => definition.name));
    const paths = placed.map(({ segment, definition }) => {
      const id = JSON.stringify(ids.get(definition.name));
      return `${JSON.stringify(TOOLS_PATH + segment)}:{"post":{"operationId":${id},${this.#operationOf(definition)}}`;
    });
    return `{${paths.join(",")}}`;
  }

  /** Everything but its id, which depends on the others. */
  #operationOf(definition: ToolDefinition): string {
    const kept = this.#operations.get(definition) ?? JSON.stringify(operationOf(definition)).slice(1);
    this.#operations.set(definition, kept);
    return kept;
  }
}

/** The tool's name in a URL; `server__name`, which always works, where the plain name would be lost. */
function segmentOf(source: string, name: string): string | undefined {
  if (!name.isWellFormed()) return undefined;
  const segment = encodeURIComponent(NO_SEGMENTS.includes(name) ? `${source}__${name}` : name);
  return segment.length > LONGEST_SEGMENT ? undefined : segment;
}

function operationOf(definition: ToolDefinition): Json {
  const { name, title, description, annotations, inputSchema, outputSchema } = definition;
  const input = selfContained(inputSchema);
  const answer = outputSchema ? selfContained(outputSchema) : {};
  return {
    summary: [title, annotations?.["title"], name].find((each) => typeof each === "string" && each !== ""),
    ...(description && { description }),
    ...(takesArguments(input) && { requestBody: bodyOf(input) }),
    responses: {
      200: { description: "What the tool gave.", content: { "application/json": { schema: answer } } },
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}

function bodyOf(input: Json): Json {
  const { required } = input;
  return {
    required: Array.isArray(required) && required.length > 0,
    content: { "application/json": { schema: { type: "object", ...input } } },
  };
}

/** Where there is nothing to give, no body is described: Open WebUI refuses to call with an empty one. */
function takesArguments({ properties, additionalProperties, ...others }: Json): boolean {
  const isNamed = Object.keys(properties ?? {}).length > 0;
  return isNamed || Boolean(additionalProperties) || SHAPING.some((keyword) => keyword in others);
}

const SHAPING = ["required", "patternProperties", "allOf", "anyOf", "oneOf", "if"] as const;

/** An operation's id is what a model calls in many clients, and few of these take any other character. */
const FIT = /^[A-Za-z0-9_-]{1,64}$/;
const LONGEST_ID = 64;
const DIGEST = 8;

/** A unique id for each tool, by the tool's name. A name that fits stays as it is, whatever the others are called. */
export function operationIds(tools: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(tools.filter((name) => FIT.test(name)));
  return new Map(tools.map((name) => [name, FIT.test(name) ? name : claim(name, taken)]));
}

function claim(name: string, taken: Set<string>): string {
  for (const id of candidates(name)) {
    if (taken.has(id)) continue;
    taken.add(id);
    return id;
  }
  throw new TypeError("there is always another candidate");
}

/** A readable id first; then one with a hash of the name, so that it does not depend on the other tools. */
function* candidates(name: string): Generator<string> {
  const plain = name.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+$/, "") || "tool";
  yield plain.slice(0, LONGEST_ID);
  const own = createHash("sha256").update(name).digest("hex").slice(0, DIGEST);
  const unlike = `${plain.slice(0, LONGEST_ID - DIGEST - 5)}_${own}`;
  yield unlike;
  for (let n = 2; ; n++) yield `${unlike}_${n}`;
}
