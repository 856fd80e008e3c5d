/** The hub as an OpenAPI tool server, on a real port: the document, and calls at the places that it names. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { makeTool } from "../../../test/support/make-call.ts";
import { type Answered, type OpenDoors, openDoors, rpc } from "../../../test/support/open-doors.ts";
import { callOf, openHub } from "../../../test/support/open-hub.ts";
import type { Principal, ToolDefinition } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { readDocument } from "../../openapi/document.ts";
import { operationsOf } from "../../openapi/operations.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { openApiTools } from "./index.ts";

type Json = Record<string, unknown>;

interface Shown {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly security: unknown;
  readonly paths: Readonly<Record<string, { readonly post: ShownOperation }>>;
}

interface ShownOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, { schema: Json }>> };
  readonly responses: Readonly<Record<string, Json>>;
}

const DOCUMENT = "/openapi/tools.json";
const Q = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };

/** Everything that may stand in the name of a tool, and would break something. */
const HOSTILE = [
  "a/b",
  "../../admin",
  "..",
  ".",
  "",
  "__proto__",
  "constructor",
  "a b?c#d%2F",
  "{tool}",
  "灯/ñ",
  '\u0000\n"\\',
  "😀",
  "a.b",
  "a_b",
  "x".repeat(1_000),
  "tools.json",
  "<script>",
  "~1",
  "+",
];

async function documentOf(doors: OpenDoors, headers = {}): Promise<Shown> {
  const { status, headers: answered, json, text } = await doors.ask(DOCUMENT, { headers });
  assert.deepEqual([status, answered["content-type"]], [200, "application/json"], text);
  return json as unknown as Shown;
}

const operationsIn = ({ paths }: Shown): ShownOperation[] => Object.values(paths).map(({ post }) => post);
const inputOf = (operation: ShownOperation | undefined) => operation?.requestBody?.content["application/json"]?.schema;

let doors: OpenDoors;
beforeEach(async () => {
  doors = await openDoors([openApiTools]);
});
afterEach(() => doors.close());

/** The only operation of a hub of this one tool. */
async function shown(tool: Partial<ToolDefinition>): Promise<ShownOperation> {
  doors.gateway.tools = [makeTool("lamp", tool)];
  const [operation] = operationsIn(await documentOf(doors));
  assert.ok(operation);
  return operation;
}

describe("GET /openapi/tools.json", () => {
  it("has one operation for each tool", async () => {
    doors.gateway.tools = [makeTool("clima", { description: "El clima", inputSchema: Q }), makeTool("lamp")];
    const { openapi, servers, security, paths } = await documentOf(doors);
    assert.deepEqual([openapi, servers], ["3.1.0", [{ url: doors.url }]]);
    assert.deepEqual(security, [{ bearer: [] }, { apiKey: [] }, {}]);
    assert.deepEqual(Object.keys(paths), ["/openapi/tools/clima", "/openapi/tools/lamp"]);
    assert.deepEqual(paths["/openapi/tools/clima"]?.post, {
      operationId: "clima",
      summary: "clima",
      description: "El clima",
      requestBody: { required: true, content: { "application/json": { schema: Q } } },
      responses: {
        200: { description: "What the tool gave.", content: { "application/json": { schema: {} } } },
        default: { $ref: "#/components/responses/Problem" },
      },
    });
  });

  it("names the address by which its reader came", async () => {
    const { host } = new URL(doors.url);
    const { servers } = await documentOf(doors, { host, "x-forwarded-proto": "https" });
    assert.deepEqual(servers, [{ url: `https://${host}` }]);
  });

  it("has a summary or a description of each, from wherever there is one", async () => {
    const { summary, description } = await shown({ title: "", annotations: { title: "Lamp" }, description: "" });
    assert.deepEqual([summary, description], ["Lamp", undefined]);
    assert.equal((await shown({ title: "T", annotations: { title: "Lamp" } })).summary, "T");
    assert.equal((await shown({ title: 7 })).summary, "lamp");
  });

  it("describes no body where there is nothing to give: Open WebUI would refuse to call without", async () => {
    for (const inputSchema of [{ type: "object" }, {}, { properties: {}, additionalProperties: false }]) {
      assert.equal((await shown({ inputSchema })).requestBody, undefined, JSON.stringify(inputSchema));
    }
  });

  it("describes one in all other cases, and says whether it can be left out", async () => {
    for (const [inputSchema, required] of [
      [Q, true],
      [{ properties: { q: {} }, required: [] }, false],
      [{ additionalProperties: true }, false],
      [{ patternProperties: { x: {} } }, false],
      [{ oneOf: [Q] }, false],
      [{ $ref: "#/$defs/q", $defs: { q: Q } }, true],
    ] as const) {
      const operation = await shown({ inputSchema });
      assert.equal(operation.requestBody?.required, required, JSON.stringify(inputSchema));
      assert.equal(inputOf(operation)?.["type"], "object");
    }
  });

  it("has schemas that mean the same where they stand, though each had its own definitions", async () => {
    const tree = { type: "object", properties: { next: { $ref: "#/$defs/c" } } };
    doors.gateway.tools = [
      makeTool("one", {
        inputSchema: { type: "object", properties: { c: { $ref: "#/$defs/c" } }, $defs: { c: { type: "string" } } },
      }),
      makeTool("two", {
        inputSchema: { type: "object", properties: { c: { $ref: "#/$defs/c" } }, $defs: { c: tree } },
        outputSchema: {
          type: "object",
          properties: { d: { $ref: "#/definitions/d" } },
          definitions: { d: { type: "null" } },
        },
      }),
    ];
    const document = await documentOf(doors);
    const [one, two] = operationsIn(document);
    const ajv = new Ajv2020({ strict: false });
    // As a whole, so that a reference would be looked for where a reader of the document would look for it.
    ajv.addSchema({ ...(document as unknown as Json), $id: "doc:" });
    const checkOf = (name: string) =>
      ajv.compile({ $ref: `doc:#/paths/~1openapi~1tools~1${name}/post/requestBody/content/application~1json/schema` });
    assert.deepEqual([checkOf("one")({ c: "x" }), checkOf("one")({ c: {} })], [true, false]);
    assert.deepEqual([checkOf("two")({ c: "x" }), checkOf("two")({ c: { next: {} } })], [false, true]);
    assert.doesNotMatch(
      JSON.stringify([inputOf(one), inputOf(two), two?.responses["200"]]),
      /\$ref|\$defs|definitions/,
    );
  });

  it("fits the official schema, whatever the tools are called and describe", async () => {
    doors.gateway.tools = [
      ...HOSTILE.map((name) => makeTool(name, { description: name, inputSchema: Q })),
      makeTool("tree", { inputSchema: { type: "object", properties: { child: { $ref: "#" } } } }),
      makeTool("tuple", { inputSchema: { type: "object", properties: { p: { items: [{ type: "string" }] } } } }),
    ];
    const document = await documentOf(doors);
    assert.deepEqual(await new Validator().validate(structuredClone(document) as never), { valid: true });
    const ids = operationsIn(document).map(({ operationId }) => operationId);
    assert.equal(new Set(ids).size, HOSTILE.length + 2);
    for (const id of ids) assert.match(id, /^[A-Za-z0-9_-]{1,64}$/);
  });

  it("is read by our own import, so that one hub can use another's tools", async () => {
    const inputSchema = { type: "object", properties: { c: { $ref: "#/$defs/c" } }, $defs: { c: { type: "string" } } };
    doors.gateway.tools = [...HOSTILE, "lamp"].map((name) => makeTool(name, { description: "what", inputSchema }));
    const { text } = await doors.ask(DOCUMENT);
    const { operations, servers, skipped } = operationsOf(readDocument(text));
    assert.deepEqual([servers, skipped], [[doors.url], []]);
    assert.equal(operations.length, HOSTILE.length + 1);
    const { name, method, path, inputSchema: read } = operations.at(-1) ?? {};
    assert.deepEqual([name, method, path], ["lamp", "POST", "/openapi/tools/lamp"]);
    assert.deepEqual(read?.["properties"], { c: { type: "string" } });
  });

  it("leaves out what no URL can name", async () => {
    doors.gateway.tools = ["\ud800", "灯".repeat(2_000), "lamp"].map((name) => makeTool(name));
    assert.deepEqual(Object.keys((await documentOf(doors)).paths), ["/openapi/tools/lamp"]);
  });

  it("is for those with a key", async () => {
    const { status, headers } = await doors.ask(DOCUMENT, { headers: { "x-api-key": "wrong" } });
    assert.deepEqual([status, headers["content-type"]], [401, "application/problem+json"]);
  });
});

describe("POST /openapi/tools/{tool}", () => {
  const call = (body: unknown = {}, headers = {}): Promise<Answered> =>
    doors.ask("/openapi/tools/lamp", rpc(body, headers));
  const gives = (result: string): void => {
    doors.gateway.answer = async () => Payload.ofText(result);
  };
  const says = (...texts: string[]): void =>
    gives(JSON.stringify({ content: texts.map((text) => ({ type: "text", text })) }));

  it("calls the tool with the body as it was written", async () => {
    await call(' { "id": 12345678901234567890, "x":1.0 }\n');
    const [asked] = doors.gateway.calls;
    assert.deepEqual([asked?.tool, asked?.door], ["lamp", "openapi-tools"]);
    assert.equal(asked?.args.text, '{ "id": 12345678901234567890, "x":1.0 }');
  });

  it("takes no body for no arguments", async () => {
    const { status } = await doors.ask("/openapi/tools/lamp", { method: "POST" });
    assert.deepEqual([status, doors.gateway.calls[0]?.args.text], [200, "{}"]);
  });

  it("finds every tool at the place that the document names, through a client that tidies up its URLs", async () => {
    doors.gateway.tools = HOSTILE.map((name) => makeTool(name));
    const { servers, paths } = await documentOf(doors);
    for (const path of Object.keys(paths)) {
      const headers = { "content-type": "application/json" };
      const { status } = await fetch(`${servers[0]?.url}${path}`, { method: "POST", headers, body: "{}" });
      assert.equal(status, 200, path);
    }
    assert.deepEqual(
      doors.gateway.calls.map(({ tool }) => tool),
      HOSTILE.map((name) => (["", ".", ".."].includes(name) ? `house__${name}` : name)),
    );
  });

  for (const [what, given, answered] of [
    ["what is structured", '{"content":[{"type":"text","text":"1"}],"structuredContent":{"n": 1.0}}', '{"n": 1.0}'],
    [
      "JSON as it was written",
      '{"content":[{"type":"text","text":"{\\"id\\": 12345678901234567890}"}]}',
      '{"id": 12345678901234567890}',
    ],
    ["a text as a string", '{"content":[{"type":"text","text":"soleado"}]}', '"soleado"'],
    ["nothing", '{"content":[]}', "null"],
    [
      "an image as a data URL",
      '{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}',
      '"data:image/png;base64,aGk="',
    ],
    [
      "several parts as a list",
      '{"content":[{"type":"text","text":"[1]"},{"type":"text","text":"x"},{"type":"audio","data":"aa","mimeType":"audio/wav"},{"type":"resource_link","uri":"a:b"}]}',
      '[[1],"x","data:audio/wav;base64,aa",{"type":"resource_link","uri":"a:b"}]',
    ],
    ["what is no part as an empty one", '{"content":[7,{"type":"image"}]}', '[{},{"type":"image"}]'],
    ["what has no parts as it is", '{"toolResult":1.0}', '{"toolResult":1.0}'],
  ] as const) {
    it(`answers ${what}`, async () => {
      gives(given);
      const { status, headers, text } = await call();
      assert.deepEqual([status, headers["content-type"], text], [200, "application/json", answered]);
    });
  }

  it("answers a tool that failed with 502 and its own words", async () => {
    gives('{"content":[{"type":"text","text":"HTTP 404 Not Found"}],"isError":true}');
    const { status, headers, json } = await call();
    assert.deepEqual([status, headers["content-type"]], [502, "application/problem+json"]);
    assert.deepEqual(json, {
      type: "about:blank",
      title: "Bad Gateway",
      status: 502,
      detail: "HTTP 404 Not Found",
      code: "SOURCE_ERROR",
      delivery: "executed",
    });
  });

  for (const [error, status, detail] of [
    [
      new ZaguanError("INVALID_ARGUMENT", { params: { reason: "missing required parameter 'q'" } }),
      400,
      /parameter 'q'/,
    ],
    [new ZaguanError("UNKNOWN_TOOL", { params: { tool: "lamp" } }), 404, /no such tool: 'lamp'/],
    [new ZaguanError("DEADLINE_EXCEEDED", { params: { source: "x", seconds: 3 } }), 504, /./],
    [new ZaguanError("CANCELLED"), 503, /closing/],
    [new TypeError("at /home/me/secret.ts"), 500, /^Internal error \(reference ref-1\)$/],
  ] as const) {
    it(`answers ${error.message} with a problem of status ${status}`, async () => {
      doors.gateway.answer = () => Promise.reject(error);
      const answer = await call();
      assert.deepEqual([answer.status, answer.headers["content-type"]], [status, "application/problem+json"]);
      assert.match(String(answer.json["detail"]), detail);
      assert.doesNotMatch(answer.text, /secret/);
    });
  }

  for (const body of ["{", "[]", "7", '{"a":1,"a":2}']) {
    it(`refuses ${body}, and calls nothing`, async () => {
      const { status, headers } = await call(body);
      assert.deepEqual([status, headers["content-type"]], [400, "application/problem+json"]);
      assert.equal(doors.gateway.calls.length, 0);
    });
  }

  it("goes the way that the headers ask for, and answers only to POST", async () => {
    says("x");
    await call({}, { "x-priority": "BULK", "x-timeout": "2" });
    const { priority, timeoutMs } = doors.gateway.calls[0] ?? {};
    assert.deepEqual([priority, timeoutMs], ["BULK", 2_000]);
    assert.equal((await doors.ask("/openapi/tools/lamp")).status, 405);
  });
});

describe("the tools of a real hub", () => {
  /** How often some tool's schema has been written. */
  let written = 0;
  const inputSchema = { toJSON: () => ({ ...Q, nth: ++written }), ...Q };
  const TOOLS = Array.from({ length: 1_000 }, (_, n) =>
    makeTool(`tool_${n}`, { description: `tool ${n}`, inputSchema }),
  );
  const LIMITED: Principal = { id: "key:bob", kind: "key", name: "bob", allow: ["tool_7", ".."] };
  let principal: Principal;
  let hub: ReturnType<typeof openHub>["hub"];
  let real: OpenDoors;
  beforeEach(async () => {
    principal = callOf("x").principal;
    const opened = openHub();
    opened.attach("many", TOOLS);
    opened.attach("few", [makeTool(".."), makeTool("tool_7")]);
    hub = opened.hub;
    const context = { gateway: hub, servers: hub };
    real = await openDoors([openApiTools], { context, authenticate: async () => principal });
  });
  afterEach(async () => {
    await real.close();
    await hub.close();
  });

  it("are all there, and none is written anew for every caller", async (t) => {
    const { paths } = await documentOf(real);
    assert.equal(Object.keys(paths).length, 1_002);
    const once = written;
    for (const who of [principal, { ...LIMITED, allow: ["*"] }]) {
      principal = who;
      const began = performance.now();
      await documentOf(real);
      t.diagnostic(`${(performance.now() - began).toFixed(1)} ms`);
    }
    assert.ok(once >= 1_000 && written === once, `${once} ${written}`);
  });

  it("are only those that the caller's key may use, and only those can be called", async () => {
    principal = LIMITED;
    const { paths } = await documentOf(real);
    assert.deepEqual(Object.keys(paths), [
      "/openapi/tools/tool_7",
      "/openapi/tools/few__..",
      "/openapi/tools/few__tool_7",
    ]);
    for (const path of Object.keys(paths)) assert.equal((await real.ask(path, rpc({ q: "x" }))).status, 200, path);
    for (const name of ["tool_8", "many__tool_8", "nobody"]) {
      const { status, json } = await real.ask(`/openapi/tools/${name}`, rpc({ q: "x" }));
      assert.deepEqual([status, json["code"]], [404, "NO_SUCH"]);
    }
  });
});
