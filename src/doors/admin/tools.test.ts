/** Described tools and providers over a real socket, with a keeper of them that lives in memory. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type Answered, type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import type { Apis, DescribedTools, Providers } from "../../apis/contract.ts";
import type { ConnectionInput, KeptProvider, KeptTool, ProviderInput, ToolInput } from "../../apis/handsai/types.ts";
import { PLACES } from "../../contract/generated.ts";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { admin } from "./index.ts";

const ADMIN: Principal = { id: "key:all", kind: "key", name: "all", admin: true };
const NOW = "2026-01-01T00:00:00.000Z";
const SECRET = "hunter2";

class FakeTools implements DescribedTools {
  readonly asked: ToolInput[] = [];
  readonly #tools = new Map<string, KeptTool>();

  async list(): Promise<readonly KeptTool[]> {
    return [...this.#tools.values()];
  }

  async find(idOrCode: string): Promise<KeptTool> {
    const found = [...this.#tools.values()].find(({ id, code }) => id === idOrCode || code === idOrCode);
    if (!found) throw new ZaguanError("NO_SUCH", { params: { kind: "tool", name: idOrCode } });
    return found;
  }

  async create(input: ToolInput): Promise<KeptTool> {
    if ([...this.#tools.values()].some(({ code }) => code === input.code)) {
      throw new ZaguanError("NAME_TAKEN", { params: { kind: "tool", name: input.code } });
    }
    return this.#keep(`id-${this.#tools.size + 1}`, input);
  }

  async change(idOrCode: string, anew: (kept: KeptTool) => ToolInput): Promise<KeptTool> {
    const kept = await this.find(idOrCode);
    return this.#keep(kept.id, anew(kept));
  }

  async remove(idOrCode: string): Promise<void> {
    this.#tools.delete((await this.find(idOrCode)).id);
  }

  async validate(idOrCode: string): Promise<KeptTool> {
    const tool = { ...(await this.find(idOrCode)), healthy: true, lastHealthCheckUtc: NOW };
    this.#tools.set(tool.id, tool);
    return tool;
  }

  async isOff(code: string): Promise<boolean> {
    return !(await this.find(code)).enabled;
  }

  #keep(id: string, input: ToolInput): KeptTool {
    this.asked.push(input);
    const { name, code, enabled, description, endpointPath, httpMethod, bodyPayloadTemplate, parameters } = input;
    const tool = {
      id,
      name,
      code,
      enabled,
      description,
      endpointPath,
      httpMethod,
      bodyPayloadTemplate,
      parameters,
      connection: connectionOf(input),
      headerNames: Object.keys(input.customHeaders ?? {}),
      provider: undefined,
      plainHeaders: {},
      isExportable: input.isExportable,
      healthy: undefined,
      lastHealthCheckUtc: undefined,
      createdUtc: NOW,
      updatedUtc: NOW,
    };
    this.#tools.set(id, tool);
    return tool;
  }
}

class FakeProviders implements Providers {
  readonly asked: unknown[] = [];
  #kept: readonly KeptProvider[] = [];

  async importAll(providers: readonly ProviderInput[]): Promise<readonly KeptProvider[]> {
    this.asked.push(providers);
    this.#kept = providers.map((provider) => ({
      code: provider.code,
      name: provider.name,
      connection: connectionOf(provider),
      tools: provider.tools,
      headerNames: Object.keys(provider.customHeaders ?? {}),
      plainHeaders: {},
      has: { apiKeyValue: true, customHeaders: true, clientSecret: false, dynamicAuthPayload: false },
    }));
    return this.#kept;
  }

  async exportAll(codes: readonly string[] | undefined): Promise<readonly KeptProvider[]> {
    this.asked.push(codes);
    return this.#kept.filter(({ code }) => codes === undefined || codes.includes(code));
  }
}

function connectionOf({
  baseUrl,
  authenticationType,
  apiKeyLocation,
  apiKeyName,
  oauth2,
  dynamicAuth,
}: ConnectionInput) {
  return { baseUrl, authenticationType, apiKeyLocation, apiKeyName, oauth2, dynamicAuth };
}

/** The fields of the real system. */
function toolBody(code: string, more: object = {}): object {
  return {
    name: `Tool ${code}`,
    code,
    enabled: true,
    description: `what ${code} does`,
    baseUrl: "https://weather.example",
    endpointPath: "/v1/current.json",
    httpMethod: "GET",
    authenticationType: "API_KEY",
    apiKeyLocation: "HEADER",
    apiKeyName: "X-Key",
    apiKeyValue: SECRET,
    parameters: [{ name: "q", type: "STRING", description: "the city", required: true, defaultValue: "" }],
    ...more,
  };
}

function providerBody(code: string): object {
  const { baseUrl, apiKeyValue, enabled: _, ...rest } = toolBody("x") as Record<string, unknown>;
  const { name, description, endpointPath, httpMethod, parameters, ...connection } = rest;
  const tool = { name, code: `${code}-tool`, description, endpointPath, httpMethod, parameters };
  return { ...connection, name: `Provider ${code}`, code, baseUrl, apiKeyValue, tools: [tool] };
}

describe("the doors where APIs are described", () => {
  let tools: FakeTools;
  let providers: FakeProviders;
  let doors: OpenDoors;
  let principal: Principal;
  beforeEach(async () => {
    tools = new FakeTools();
    providers = new FakeProviders();
    principal = ADMIN;
    const apis = { tools, providers } as unknown as Apis;
    doors = await openDoors([admin], { context: { apis }, authenticate: () => principal });
  });
  afterEach(() => doors.close());

  const send = (method: string, path: string, body?: unknown): Promise<Answered> =>
    doors.ask(path, {
      method,
      ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
  const create = (code: string, more?: object) => send("POST", "/admin/tools/api", toolBody(code, more));

  it("are the places that are described, and no others", async () => {
    const { adminRoutes } = await import("./routes.ts");
    const described = adminRoutes({} as Parameters<typeof adminRoutes>[0]);
    assert.deepEqual(
      described.map(({ method, path }) => [method, path]),
      Object.values(PLACES.admin).map(([method, path]) => [method, path]),
    );
    assert.equal(new Set(described.map(({ operationId }) => operationId)).size, described.length);
  });

  describe("/admin/tools/api", () => {
    it("makes a tool with 201 and says where it is, without its secret", async () => {
      const { status, headers, json, text } = await create("clima", { customHeaders: { "X-A": SECRET } });
      assert.deepEqual([status, headers.location], [201, "/admin/tools/api/id-1"]);
      assert.deepEqual([json["id"], json["code"], json["baseUrl"]], ["id-1", "clima", "https://weather.example"]);
      assert.doesNotMatch(text, new RegExp(SECRET));
      assert.deepEqual([tools.asked[0]?.apiKeyValue, tools.asked[0]?.customHeaders], [SECRET, { "X-A": SECRET }]);
    });

    it("lists them in pages, finds them by words, and shows one by its id or its code", async () => {
      for (const code of ["one", "two", "three"]) await create(code);
      const listed = await send("GET", "/admin/tools/api");
      assert.deepEqual([codesIn(listed), listed.headers["x-total-count"]], [["one", "two", "three"], "3"]);
      assert.deepEqual(codesIn(await send("GET", "/admin/tools/api?limit=1&offset=1")), ["two"]);
      assert.deepEqual(codesIn(await send("GET", "/admin/tools/api?search=what%20three")), ["three"]);
      for (const key of ["id-2", "two"]) {
        assert.equal((await send("GET", `/admin/tools/api/${key}`)).json["code"], "two");
      }
    });

    it("describes one anew, also with what was shown of it", async () => {
      await create("clima");
      const changed = await send("PUT", "/admin/tools/api/clima", toolBody("clima", { description: "other" }));
      assert.deepEqual([changed.status, changed.json["description"]], [200, "other"]);
      const again = await send("PUT", "/admin/tools/api/id-1", { ...changed.json, name: "Otro" });
      assert.deepEqual([again.status, again.json["name"], again.json["id"]], [200, "Otro", "id-1"], again.text);
      assert.equal(tools.asked.at(-1)?.apiKeyValue, undefined);
    });

    it("checks one now, and answers with it", async () => {
      assert.equal((await create("clima")).json["lastHealthCheck"], null);
      const { status, json } = await send("POST", "/admin/tools/api/clima/validate");
      assert.deepEqual([status, json["healthy"], json["lastHealthCheck"]], [200, true, NOW]);
    });

    it("removes one with 204, and then it is gone", async () => {
      await create("clima");
      const { status, text } = await send("DELETE", "/admin/tools/api/clima");
      assert.deepEqual([status, text], [204, ""]);
      for (const [method, path, body] of [
        ["GET", "", undefined],
        ["PUT", "", toolBody("clima")],
        ["DELETE", "", undefined],
        ["POST", "/validate", undefined],
      ] as const) {
        const { status, headers, json } = await send(method, `/admin/tools/api/clima${path}`, body);
        assert.deepEqual([status, json["code"]], [404, "NO_SUCH"], `${method} ${path}`);
        assert.equal(headers["content-type"], "application/problem+json");
      }
    });

    it("answers 409 to a code that is taken", async () => {
      await create("clima");
      const { status, json } = await create("clima");
      assert.deepEqual([status, json["code"]], [409, "NAME_TAKEN"]);
    });

    it("answers 400 with the fields that do not fit, and never with a secret", async () => {
      for (const [method, path] of [
        ["POST", ""],
        ["PUT", "/clima"],
      ] as const) {
        const body = toolBody("a/b", { baseUrl: "weather.example" });
        const { status, json, text } = await send(method, `/admin/tools/api${path}`, body);
        assert.equal(status, 400);
        assert.deepEqual(fieldsIn(json), ["baseUrl", "code"]);
        assert.doesNotMatch(text, new RegExp(SECRET));
      }
      assert.deepEqual(tools.asked, []);
    });
  });

  describe("/api/import/providers and /api/export/providers", () => {
    it("take providers in, and answer with what an export gives: no secret", async () => {
      const { status, text } = await send("POST", "/api/import/providers", [providerBody("a"), providerBody("b")]);
      assert.equal(status, 200, text);
      assert.doesNotMatch(text, new RegExp(SECRET));
      const [asked] = providers.asked as [readonly ProviderInput[]];
      assert.deepEqual(
        asked.map(({ code, apiKeyValue, tools }) => [code, apiKeyValue, tools.map((tool) => tool.code)]),
        [
          ["a", SECRET, ["a-tool"]],
          ["b", SECRET, ["b-tool"]],
        ],
      );
      assert.equal((await send("GET", "/api/export/providers")).text, text);
      assert.equal((await send("POST", "/api/import/providers", JSON.parse(text))).status, 200);
    });

    it("export those that are named, and all where none is", async () => {
      await send("POST", "/api/import/providers", [providerBody("a"), providerBody("b"), providerBody("c")]);
      assert.deepEqual(codesIn(await send("GET", "/api/export/providers?ids=a,%20c,a,")), ["a", "c"]);
      for (const query of ["", "?ids=", "?ids=,"]) await send("GET", `/api/export/providers${query}`);
      assert.deepEqual(providers.asked.slice(1), [["a", "c"], undefined, undefined, undefined]);
    });

    it("answer 400 to what is no list, and name the place in one that is", async () => {
      for (const body of [{}, undefined, "a"]) {
        assert.equal((await send("POST", "/api/import/providers", body)).status, 400);
      }
      const { status, json } = await send("POST", "/api/import/providers", [
        providerBody("a"),
        { ...providerBody("b"), baseUrl: "ftp://x" },
      ]);
      assert.deepEqual([status, fieldsIn(json)], [400, ["[1].baseUrl"]]);
      assert.deepEqual(providers.asked, []);
    });
  });

  it("refuse who may not, whatever the body says", async () => {
    const links = {} as NonNullable<Principal["links"]>;
    for (const limits of [{ allow: ["get_*"] }, { allow: [] }, { links }, { admin: undefined }]) {
      principal = { ...ADMIN, ...limits };
      const isPlain = "admin" in limits;
      for (const [method, path] of Object.values(PLACES.admin).filter((place) => !isPlain || place[2] === "admin")) {
        const body = method === "GET" || method === "DELETE" ? undefined : { no: "body" };
        const { status, json } = await send(method, path.replace("{id}", "clima"), body);
        assert.deepEqual([status, json["code"]], [403, "FORBIDDEN"], `${method} ${path}`);
      }
    }
  });
});

function codesIn({ text }: Answered): unknown {
  return JSON.parse(text).map(({ code }: { code: string }) => code);
}

function fieldsIn(problem: Answered["json"]): unknown {
  const fields = (problem["errors"] as readonly { field: string }[]).map(({ field }) => field);
  return [...new Set(fields)].sort();
}
