/**
 * Spoilt messages for the places where REST APIs become tools and are called, and where keys and servers are described, and
 * the judgement of the answers: a known form, nothing inner, and never the secret, which the API itself says again to whoever asks.
 */
import assert from "node:assert/strict";
import type { FuzzHeaders } from "./fuzz-http.ts";
import { mutate } from "./mutator.ts";
import type { HttpAnswer, RpcOverHttp } from "./rpc-over-http.ts";
import type { Random } from "./seed.ts";
import { assertNothingInner, parameter, toolBody } from "./seed-004.ts";

const SECRET = "fuzz-secret-7f3a9c";
const EXECUTED = ["errorMessage", "executionTimeMs", "result", "success", "toolType"];
const BODY_LIMIT_BYTES = 1_048_576;

type Message = Record<string, unknown>;

export interface ApiMessage {
  readonly path: string;
  readonly body: Buffer;
}

export interface ApiPlace {
  readonly name: string;
  /** Of the messages that other doors get: some of these are a thread's work, or a write to the disk. */
  readonly share: number;
  readonly atOnce: number;
  readonly statuses: readonly number[];
  /** Members that an answer with a status below 300 has; whatever JSON where they are not said. */
  readonly members?: readonly string[];
  make(random: Random, n: number): ApiMessage;
}

/** Some that answer with all they got, each with the secret in another place. */
export async function describeEchoes(client: RpcOverHttp, baseUrl: string): Promise<void> {
  const key = { authenticationType: "API_KEY", apiKeyValue: SECRET };
  const parameters = [
    parameter("place", { required: true }),
    parameter("q"),
    parameter("n", { type: "NUMBER", defaultValue: "3" }),
    parameter("list", { type: "ARRAY" }),
    parameter("deep", { type: "OBJECT" }),
  ];
  const template = { httpMethod: "POST", bodyPayloadTemplate: '{"a": {{q}}, "b": "to {{place}}", "c": {{deep}}}' };
  for (const body of [
    toolBody("echo_get", "/v1/echo/{place}", { ...key, apiKeyLocation: "HEADER", parameters }),
    toolBody("echo_post", "/v1/echo", { ...key, apiKeyLocation: "IN_BODY", apiKeyName: "k", httpMethod: "POST" }),
    toolBody("echo_template", "/v1/leak.json", { ...key, ...template, apiKeyLocation: "HEADER", parameters }),
  ]) {
    const { status, text } = await client.send("POST", "/admin/tools/api", JSON.stringify({ ...body, baseUrl }));
    assert.equal(status, 201, text);
  }
}

const TOOLS = ["echo_get", "echo_post", "echo_template", "set_light_state", "get_all_states", "nobody's"];
const ODD_SEGMENTS = ["%00", "%E0%A4%A", "..%2f..%2fadmin", "__proto__", "%F0%9F%98%80", "x".repeat(3_000)];

const argumentsFor = (n: number): Message => ({
  place: `Lima ${n}`,
  q: "ünïcödé 😀\r\nX-Header: 1",
  n: n / 3,
  list: [1, "2", null],
  deep: { a: { b: [n] } },
  ...(n % 3 === 0 && { name: "salon", on: true }),
});

const toolFor = (n: number): Message => ({
  ...toolBody(`fuzz${n % 5}`, "/v1/{q}/x?fixed=1", { apiKeyLocation: "HEADER", customHeaders: { "X-A": "b" } }),
  baseUrl: "http://127.0.0.1:9",
  authenticationType: "API_KEY",
  apiKeyName: "X-Key",
  apiKeyValue: SECRET,
  parameters: [parameter("q"), parameter("list", { type: "ARRAY", defaultValue: "[1]" })],
  bodyPayloadTemplate: null,
});

const providerFor = (n: number): Message => ({
  name: "Fuzz",
  code: `provider${n % 3}`,
  baseUrl: "http://127.0.0.1:9",
  customHeaders: `{"X-A":"b"}`,
  authenticationType: "BEARER_TOKEN",
  apiKeyLocation: "NONE",
  apiKeyName: null,
  apiKeyValue: SECRET,
  tools: [toolBody(`of_provider${n % 3}`, "/v1/x"), { ...toolBody(`more_of${n % 3}`, "/v1/{q}"), id: n }],
});

const keyFor = (n: number): Message => ({ name: `clé ${n % 5}`, allow: ["house__*", "get_*"], admin: false });

/** No program is allowed; an address, once spoilt, might be somebody's. */
const serverFor = (n: number): Message => ({
  name: `server${n % 5}`,
  command: "node",
  args: ["-e", "0"],
  env: { A: SECRET },
  authType: "apikey",
  credentials: { value: SECRET },
  headers: { "x-secret": SECRET },
});

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Fuzz", version: "1" },
  servers: [{ url: "https://api.example.org/v{n}" }],
  paths: {
    "/a/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: { operationId: "a", tags: ["t"], parameters: [{ $ref: "#/components/parameters/p" }], responses: {} },
      put: { requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/s" } } } } },
    },
  },
  components: {
    parameters: { p: { name: "p", in: "query", style: "deepObject", schema: { type: "object" } } },
    schemas: {
      s: { type: "object", properties: { again: { $ref: "#/components/schemas/s" }, n: { type: "number" } } },
    },
    securitySchemes: { k: { type: "apiKey", in: "header", name: "X-Key" } },
  },
};

/** The request is spoilt, or the document inside of it. */
function previewFor(random: Random): Buffer {
  const settings = { name: "fuzz", tags: ["t"], paths: ["/a/*"], auth: { k: { type: "bearer", token: SECRET } } };
  if (random.chance(3)) return mutate(random, { ...settings, document: JSON.stringify(DOCUMENT) });
  return Buffer.from(JSON.stringify({ document: mutate(random, DOCUMENT).toString() }));
}

export const API_PLACES: readonly ApiPlace[] = [
  {
    name: "POST /api/tools/execute",
    share: 1 / 8,
    atOnce: 16,
    statuses: [200, 400, 413],
    members: EXECUTED,
    make: (random, n) => {
      const message = { toolName: random.pick(TOOLS), parameters: argumentsFor(n), sessionId: `conv_${n}` };
      return { path: "/api/tools/execute", body: mutate(random, message) };
    },
  },
  {
    name: "POST /openapi/tools/{tool}",
    share: 1 / 8,
    atOnce: 16,
    statuses: [200, 400, 404, 413, 502],
    make: (random, n) => {
      const tool = random.chance(5) ? random.pick(ODD_SEGMENTS) : encodeURIComponent(random.pick(TOOLS));
      return { path: `/openapi/tools/${tool}`, body: mutate(random, argumentsFor(n)) };
    },
  },
  {
    name: "POST /admin/tools/api",
    share: 1 / 16,
    atOnce: 16,
    statuses: [201, 400, 403, 409, 413],
    members: ["id", "code"],
    make: (random, n) => ({ path: "/admin/tools/api", body: mutate(random, toolFor(n)) }),
  },
  {
    name: "POST /api/import/providers",
    share: 1 / 16,
    atOnce: 16,
    statuses: [200, 400, 403, 409, 413],
    make: (random, n) => {
      const list = ["[", mutate(random, providerFor(n)), random.chance(20) ? "" : "]"];
      return { path: "/api/import/providers", body: Buffer.concat(list.map((part) => Buffer.from(part))) };
    },
  },
  {
    name: "POST /admin/apis/preview",
    share: 1 / 32,
    atOnce: 2,
    statuses: [200, 400, 403],
    members: ["name", "operations"],
    make: (random) => ({ path: "/admin/apis/preview", body: previewFor(random) }),
  },
  {
    name: "POST /keys",
    share: 1 / 32,
    atOnce: 16,
    statuses: [201, 400, 409, 413],
    members: ["id", "key"],
    make: (random, n) => ({ path: "/keys", body: mutate(random, keyFor(n)) }),
  },
  {
    name: "POST /mcp/servers/preview",
    share: 1 / 32,
    atOnce: 16,
    statuses: [400, 403, 413],
    make: (random, n) => ({ path: "/mcp/servers/preview", body: mutate(random, serverFor(n)) }),
  },
];

export function assertApiAnswer(place: ApiPlace, sent: ApiMessage, headers: FuzzHeaders, answer: HttpAnswer): void {
  const { status, text } = answer;
  const told = `${sent.path} ${JSON.stringify(headers.sent)}\n${sent.body.subarray(0, 1_500)}\nwas answered ${status} ${text.slice(0, 1_000)}`;
  assert.ok(!text.includes(SECRET), `the secret leaves: ${told}`);
  assertNothingInner(text);
  if (headers.refusals.includes(status)) return;
  assert.ok(place.statuses.includes(status), told);
  if (status === 413) assert.ok(sent.body.length > BODY_LIMIT_BYTES, told);
  const said = JSON.parse(text) as Message;
  if (status === 404 && "jsonrpc" in said) assertNowhere(said, told);
  else if (status >= 400) assertProblem(said, answer, told);
  else if (place.members) for (const member of place.members) assert.ok(member in said, told);
}

/** What no place can be called by is answered by the hub, in its own form. */
function assertNowhere({ error }: Message, told: string): void {
  assert.equal((error as { readonly data?: Message }).data?.["code"], "NOT_FOUND", told);
}

function assertProblem(said: Message, { status, headers }: HttpAnswer, told: string): void {
  assert.match(String(headers["content-type"]), /^application\/problem\+json/, told);
  assert.equal(said["status"], status, told);
  assert.ok(typeof said["detail"] === "string" && said["detail"] !== "", told);
  assert.match(String(said["code"]), /^(?!INTERNAL$)[A-Z_]+$/, told);
}

const MAKING: ReadonlySet<string> = new Set(["/admin/tools/api", "/keys"]);

/** What became something goes again, lest each message be slower than the one before it. */
export async function forgetMade(
  client: RpcOverHttp,
  { path }: ApiMessage,
  { status, text }: HttpAnswer,
): Promise<void> {
  if (!MAKING.has(path) || status !== 201) return;
  const { id } = JSON.parse(text) as { readonly id: string };
  const gone = await client.send("DELETE", `${path}/${id}`);
  assert.equal(gone.status, 204, gone.text);
}
