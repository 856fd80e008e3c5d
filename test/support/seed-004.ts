/**
 * Seed 004 for its tests: what its document prints, the fields of the real system, a client of both faces, and a hub in
 * front of a weather service. Where the documents leave a choice, the choice stands here, once. It knows nothing of the
 * hub's code.
 */
import assert from "node:assert/strict";
import type { Message } from "./line-rpc.ts";
import { type Answered, fieldsIn, RegistryClient } from "./registry-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "./spawn-zaguan.ts";
import { WeatherApi } from "./weather-api.ts";

/** "Response Exitosa" of `GET /mcp/tools/list`, as printed. */
export const PRINTED_TOOL = {
  name: "clima4",
  description: "Obtiene el clima actual para una ciudad específica.",
  inputSchema: {
    type: "object",
    properties: {
      q: { type: "string", description: "Nombre de la ciudad" },
      key: { type: "string", description: "API Key para el servicio de clima" },
    },
    required: ["q", "key"],
  },
};

/** The request of `POST /mcp/tools/call`, as printed. */
export const PRINTED_CALL = {
  jsonrpc: "2.0",
  method: "tools/call",
  params: { name: "clima4", arguments: { q: "Buenos Aires", key: "abc123" } },
  id: "1",
};

/** The text in its answer, as printed. */
export const PRINTED_TEXT = '{"temperature": 22, "condition": "sunny", "city": "Buenos Aires"}';

export const PRINTED_ERROR = { code: -32602, message: "Invalid params: missing required parameter 'q'" };

/** The contract's table (§3) for JSON-RPC over HTTP; the real system said 200 to everything. */
export const STATUS_OF: Readonly<Record<number, number>> = {
  [-32700]: 400,
  [-32600]: 400,
  [-32601]: 404,
  [-32602]: 400,
  [-32002]: 504,
  [-32004]: 503,
};

/** The real system answers `execute` with 200 whatever became of it. */
export const EXECUTED_STATUS = 200;

/** What an export has in the place of a secret. */
export const PLACEHOLDER = "<YOUR_API_KEY>";

export const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

export interface ParameterBody {
  readonly name: string;
  readonly type: "STRING" | "NUMBER" | "BOOLEAN" | "OBJECT" | "ARRAY";
  readonly description: string;
  readonly required: boolean;
  readonly defaultValue?: string | null;
}

export function parameter(name: string, more: Partial<ParameterBody> = {}): ParameterBody {
  return { name, type: "STRING", description: `the ${name}`, required: false, defaultValue: "", ...more };
}

/** A body of `POST /admin/tools/api` with every field that the real system's has. */
export function toolBody(code: string, endpointPath: string, more: object = {}): Record<string, unknown> {
  return {
    name: `Herramienta ${code}`,
    code,
    enabled: true,
    description: `calls ${endpointPath}`,
    endpointPath,
    httpMethod: "GET",
    authenticationType: "NONE",
    apiKeyLocation: "NONE",
    apiKeyName: null,
    apiKeyValue: null,
    parameters: [parameter("q")],
    ...more,
  };
}

/** The tool of the document. */
export function clima4(): Record<string, unknown> {
  const properties = Object.entries(PRINTED_TOOL.inputSchema.properties);
  return toolBody("clima4", "/v1/current.json", {
    name: "Clima",
    description: PRINTED_TOOL.description,
    parameters: properties.map(([name, { description }]) => parameter(name, { description, required: true })),
  });
}

/** OAuth client credentials: asked for by the issue, named by no document; these names are ours. */
export function oauthFields(tokenUrl: string, sendAs: "header" | "body", secret: string): object {
  const oauth2 = { tokenUrl, clientId: "zaguan", clientSecret: secret, scopes: ["clima", "mareas"], sendAs };
  return { authenticationType: "OAUTH2", oauth2 };
}

/** A client of the seed's four endpoints and of the place where tools are described. */
export class ApiTools {
  readonly http: RegistryClient;
  /** Where the tools lead that say nothing else. */
  readonly #baseUrl: string;

  constructor(http: RegistryClient, baseUrl: string) {
    this.http = http;
    this.#baseUrl = baseUrl;
  }

  post(body: object): Promise<Answered> {
    return this.http.post("/admin/tools/api", { baseUrl: this.#baseUrl, ...body });
  }

  put(id: string, body: object): Promise<Answered> {
    return this.http.send("PUT", `/admin/tools/api/${id}`, { baseUrl: this.#baseUrl, ...body });
  }

  get(id: string): Promise<Answered> {
    return this.http.get(`/admin/tools/api/${id}`);
  }

  delete(id: string): Promise<Answered> {
    return this.http.delete(`/admin/tools/api/${id}`);
  }

  validate(id: string): Promise<Answered> {
    return this.http.post(`/admin/tools/api/${id}/validate`);
  }

  /** Describes a tool, which must go well. */
  async add(code: string, endpointPath: string, more: object = {}): Promise<Message> {
    return created(await this.post(toolBody(code, endpointPath, more)));
  }

  async discover(): Promise<Message> {
    const { status, headers, text, body } = await this.http.get("/api/tools/discover");
    assert.equal(status, 200, text);
    assert.match(headers.get("content-type") ?? "", /^application\/json/);
    return body;
  }

  /** The tools of `GET /mcp/tools/list`. */
  async list(): Promise<Message[]> {
    const { status, text, body } = await this.http.get("/mcp/tools/list", { "content-type": "application/json" });
    assert.equal(status, 200, text);
    return body.result.tools;
  }

  call(name: string, args: object, id: unknown = "1"): Promise<Answered> {
    return this.http.post("/mcp/tools/call", {
      jsonrpc: "2.0",
      method: "tools/call",
      params: { name, arguments: args },
      id,
    });
  }

  execute(toolName: string, parameters: object, sessionId: string | null = "conv_123"): Promise<Answered> {
    return this.http.post("/api/tools/execute", { toolName, parameters, sessionId });
  }

  /** The JSON in the text of a call that went well. */
  async called(name: string, args: object): Promise<Message> {
    return JSON.parse(assertText(await this.call(name, args), "1"));
  }
}

export function created({ status, text, body }: Answered): Message {
  assert.equal(status, 201, text);
  assert.ok(body.id !== undefined && body.id !== null && body.id !== "", text);
  return body;
}

/** Strict JSON-RPC: a result and nothing beside it. */
export function assertResult({ status, headers, text, body }: Answered, id: unknown): Message {
  assert.equal(status, 200, text);
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
  assert.deepEqual(Object.keys(body).sort(), ["id", "jsonrpc", "result"], text);
  assert.deepEqual([body.jsonrpc, body.id], ["2.0", id]);
  return body.result;
}

/** The one text of a tool that went well. */
export function assertText(answer: Answered, id: unknown): string {
  const result = assertResult(answer, id);
  assert.notEqual(result.isError, true, answer.text);
  assert.equal(result.content.length, 1, answer.text);
  assert.deepEqual(Object.keys(result.content[0]).sort(), ["text", "type"]);
  assert.equal(result.content[0].type, "text");
  return result.content[0].text;
}

/** The text of a tool that ran and failed: the contract has `isError` there. */
export function assertToolFailed(answer: Answered, id: unknown): string {
  const result = assertResult(answer, id);
  assert.equal(result.isError, true, answer.text);
  assertNothingInner(answer.text);
  return result.content[0].text;
}

/** Strict JSON-RPC: an error and nothing beside it, with the HTTP status of the contract. */
export function assertError({ status, text, body }: Answered, code: number, id: unknown): Message {
  assert.deepEqual([body?.error?.code, status], [code, STATUS_OF[code]], text);
  assert.deepEqual(Object.keys(body).sort(), ["error", "id", "jsonrpc"], text);
  assert.deepEqual([body.jsonrpc, body.id], ["2.0", id]);
  assert.ok(typeof body.error.message === "string" && body.error.message !== "", text);
  assertNothingInner(text);
  return body.error;
}

/** The five fields of `execute`. */
export function assertExecuted({ status, text, body }: Answered): Message {
  assert.equal(status, EXECUTED_STATUS, text);
  const fields = ["errorMessage", "executionTimeMs", "result", "success", "toolType"];
  assert.deepEqual(Object.keys(body).sort(), fields, text);
  assert.ok(Number.isSafeInteger(body.executionTimeMs) && body.executionTimeMs >= 0, text);
  assert.equal(body.toolType, "api_tool");
  return body;
}

/** What `execute` gave. */
export function assertSuccess(answer: Answered): Message {
  const { success, result, errorMessage } = assertExecuted(answer);
  assert.deepEqual([success, errorMessage], [true, null], answer.text);
  return result;
}

/** Why `execute` failed. */
export function assertFailure(answer: Answered): string {
  const { success, result, errorMessage } = assertExecuted(answer);
  assert.deepEqual([success, result], [false, null], answer.text);
  assert.match(errorMessage, /\S/);
  assertNothingInner(answer.text);
  return errorMessage;
}

/** A failure in whichever form: the documents do not say in which this one comes. */
export function assertRefused({ text, body }: Answered): void {
  assert.ok(body?.error ?? body?.result?.isError ?? body?.success === false, text);
  assertNothingInner(text);
}

/** A description that is not taken, and the field that is wrong in it. */
export function assertUnfit(answer: Answered, field: string): void {
  assert.equal(answer.status, 400, answer.text);
  assert.match(answer.headers.get("content-type") ?? "", /^application\/(?:problem\+)?json/);
  assert.ok(
    fieldsIn(answer).some((named) => named.startsWith(field)),
    `${field}: ${answer.text}`,
  );
  assertNothingInner(answer.text);
}

/** No stack trace and no file of ours. */
export function assertNothingInner(text: string): void {
  assert.doesNotMatch(text, /\\n\s+at |node:internal|node_modules|\/src\/|\.ts:\d/);
}

export interface WeatherOptions {
  readonly config?: object;
  readonly args?: readonly string[];
  /** The hub's own, kept after its stop. */
  readonly folder?: string;
}

export interface OpenWeather {
  readonly weather: WeatherApi;
  readonly hub: SpawnedZaguan;
  readonly tools: ApiTools;
  stop(): Promise<void>;
}

/** A hub without any other tool, which may reach the weather service that runs beside it. */
export async function openWeather({
  config,
  args = ["--allow-private"],
  folder,
}: WeatherOptions = {}): Promise<OpenWeather> {
  const weather = await WeatherApi.start();
  try {
    const hub = await spawnZaguan({ config: { devices: { house: false }, ...config }, args, folder });
    const tools = new ApiTools(new RegistryClient(hub.url), weather.url);
    const stop = async (): Promise<void> => {
      try {
        await hub.stop();
      } finally {
        await weather.close();
      }
    };
    return { weather, hub, tools, stop };
  } catch (error) {
    await weather.close();
    throw error;
  }
}
