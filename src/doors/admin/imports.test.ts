/** `/admin/apis…` over a real socket, with a keeper of APIs that lives in memory. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type Answered, type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import type { Apis, Imports } from "../../apis/contract.ts";
import type { ImportChange, ImportedApi, NewImport, RefreshInput } from "../../contract/api.ts";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { admin } from "./index.ts";

const ADMIN: Principal = { id: "key:all", kind: "key", name: "all", admin: true };
const URL_OF_PETS = "https://pets.example/openapi.json?token=hush";
const OPERATIONS = ["listPets", "addPet", "showPet"].map((name, index) => ({
  name,
  path: index < 2 ? "/pets" : "/pets/{id}",
  description: `it ${name}`,
  method: index === 1 ? "POST" : "GET",
}));
const SKIPPED = [{ where: "paths./odd", reason: "is odd" }];

/** Keeps what it is told, and what it was asked. */
class FakeImports implements Imports {
  readonly asked: unknown[] = [];
  readonly #apis = new Map<string, ImportedApi>();

  async list(): Promise<readonly ImportedApi[]> {
    return [...this.#apis.values()];
  }

  async find(idOrName: string): Promise<ImportedApi> {
    const found = [...this.#apis.values()].find(({ id, name }) => id === idOrName || name === idOrName);
    if (!found) throw new ZaguanError("NO_SUCH", { params: { kind: "api", name: idOrName } });
    return found;
  }

  async operations(idOrName: string): Promise<typeof OPERATIONS> {
    await this.find(idOrName);
    return OPERATIONS;
  }

  async preview(input: NewImport): ReturnType<Imports["preview"]> {
    this.asked.push(input);
    const shown = { operations: OPERATIONS, skipped: SKIPPED, tags: ["pets"], schemes: [] };
    return { name: input.name ?? "pets", title: "Pets", baseUrl: null, servers: ["https://pets.example"], ...shown };
  }

  async create(input: NewImport): Promise<ImportedApi> {
    this.asked.push(input);
    const name = input.name ?? "pets";
    if ([...this.#apis.values()].some((api) => api.name === name)) {
      throw new ZaguanError("NAME_TAKEN", { params: { kind: "api", name } });
    }
    const api = apiOf(`id-${this.#apis.size + 1}`, name, input);
    this.#apis.set(api.id, api);
    return api;
  }

  async change(idOrName: string, change: ImportChange): Promise<ImportedApi> {
    this.asked.push(change);
    const api = await this.find(idOrName);
    const changed = { ...api, name: change.name ?? api.name, enabled: change.enabled ?? api.enabled };
    this.#apis.set(api.id, changed);
    return changed;
  }

  async refresh(idOrName: string, input: RefreshInput): ReturnType<Imports["refresh"]> {
    this.asked.push(input);
    const changed = [{ name: "showPet", members: ["path" as const] }];
    const changes = { added: ["feedPet"], removed: [], changed };
    return { api: await this.find(idOrName), changes, skipped: SKIPPED };
  }

  async remove(idOrName: string): Promise<void> {
    this.#apis.delete((await this.find(idOrName)).id);
  }
}

function apiOf(
  id: string,
  name: string,
  { url, baseUrl, tags = [], paths = [], headers = {} }: NewImport,
): ImportedApi {
  return {
    id,
    name,
    title: "Pets",
    url: url ?? null,
    baseUrl: baseUrl ?? "https://pets.example/v1",
    enabled: true,
    tags,
    paths,
    schemes: [{ name: "key", type: "apiKey", given: true }],
    headerNames: Object.keys(headers),
    callsPerMinute: null,
    concurrency: null,
    tools: OPERATIONS.length,
    skipped: SKIPPED,
    createdUtc: "2026-01-01T00:00:00.000Z",
    updatedUtc: "2026-01-01T00:00:00.000Z",
  };
}

describe("/admin/apis", () => {
  let imports: FakeImports;
  let doors: OpenDoors;
  let principal: Principal;
  beforeEach(async () => {
    imports = new FakeImports();
    principal = ADMIN;
    doors = await openDoors([admin], {
      context: { apis: { imports } as unknown as Apis },
      authenticate: () => principal,
      settings: { bodyBytes: 100_000 },
    });
  });
  afterEach(() => doors.close());

  const send = (method: string, path: string, body?: unknown, headers = {}): Promise<Answered> =>
    doors.ask(path, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    });
  const create = (name?: string) => send("POST", "/admin/apis", { url: URL_OF_PETS, ...(name && { name }) });

  it("previews a document and keeps nothing", async () => {
    const { status, json } = await send("POST", "/admin/apis/preview", { document: "openapi: 3.1.0", tags: ["pets"] });
    assert.equal(status, 200);
    assert.deepEqual([json["name"], json["baseUrl"], json["operations"]], ["pets", null, OPERATIONS]);
    assert.deepEqual(imports.asked, [{ document: "openapi: 3.1.0", tags: ["pets"] }]);
    assert.equal((await send("GET", "/admin/apis")).text, "[]");
  });

  it("imports with 201 and says where the API is, by its id and by its name", async () => {
    const auth = { type: "bearer", token: "hunter2" };
    const made = await send("POST", "/admin/apis", { url: URL_OF_PETS, auth, headers: { "X-A": "hunter2" } });
    assert.deepEqual([made.status, made.headers.location], [201, "/admin/apis/id-1"]);
    assert.deepEqual(imports.asked, [{ url: URL_OF_PETS, auth, headers: { "X-A": "hunter2" } }]);
    assert.doesNotMatch(made.text, /hunter2/);
    for (const key of ["id-1", "pets"]) {
      assert.deepEqual((await send("GET", `/admin/apis/${key}`)).json, made.json);
    }
    assert.equal(made.json["tools"], 3);
  });

  it("shows no token of a URL", async () => {
    const { text, json } = await create();
    assert.equal(json["url"], "https://pets.example/openapi.json?token=[redacted]");
    assert.doesNotMatch(text, /hush/);
    assert.doesNotMatch((await send("GET", "/admin/apis")).text, /hush/);
    assert.doesNotMatch((await send("POST", "/admin/apis/pets/refresh")).text, /hush/);
  });

  it("lists them in pages, and finds them by words", async () => {
    for (const name of ["one", "two", "three"]) await create(name);
    const { headers, text } = await send("GET", "/admin/apis?limit=1&offset=1");
    assert.deepEqual(namesIn(text), ["two"]);
    assert.equal(headers["x-total-count"], "3");
    assert.deepEqual(namesIn((await send("GET", "/admin/apis?search=THREE%20pets")).text), ["three"]);
  });

  it("lists the operations of one", async () => {
    await create();
    assert.deepEqual(JSON.parse((await send("GET", "/admin/apis/pets/operations")).text), OPERATIONS);
    assert.deepEqual(namesIn((await send("GET", "/admin/apis/pets/operations?search=post")).text), ["addPet"]);
    assert.deepEqual(namesIn((await send("GET", "/admin/apis/pets/operations?limit=1&offset=2")).text), ["showPet"]);
  });

  it("changes what is said, and passes nothing else on", async () => {
    await create();
    const { status, json } = await send("PATCH", "/admin/apis/pets", { name: "animals", enabled: false });
    assert.deepEqual([status, json["id"], json["name"], json["enabled"]], [200, "id-1", "animals", false]);
    assert.deepEqual(imports.asked.at(-1), { name: "animals", enabled: false });
  });

  it("refreshes with a document, or with nothing at all, and says what changed", async () => {
    await create();
    const { status, json } = await send("POST", "/admin/apis/pets/refresh");
    assert.equal(status, 200);
    assert.deepEqual(json["changes"], {
      added: ["feedPet"],
      removed: [],
      changed: [{ name: "showPet", members: ["path"] }],
    });
    assert.deepEqual([(json["api"] as ImportedApi).id, json["skipped"]], ["id-1", SKIPPED]);
    await send("POST", "/admin/apis/pets/refresh", { document: "{}", dryRun: true });
    assert.deepEqual(imports.asked.slice(1), [{}, { document: "{}", dryRun: true }]);
  });

  it("removes with 204, and then it is gone", async () => {
    await create();
    const { status, text } = await send("DELETE", "/admin/apis/pets");
    assert.deepEqual([status, text], [204, ""]);
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["GET", "/operations"],
      ["POST", "/refresh"],
    ] as const) {
      const { status, headers, json } = await send(method, `/admin/apis/pets${path}`);
      assert.deepEqual([status, json["code"]], [404, "NO_SUCH"], `${method} ${path}`);
      assert.equal(headers["content-type"], "application/problem+json");
    }
  });

  it("answers 409 to a name that is taken", async () => {
    await create();
    const { status, json } = await create();
    assert.deepEqual([status, json["code"]], [409, "NAME_TAKEN"]);
  });

  it("answers 400 with every field that does not fit, and asks nobody", async () => {
    const body = { url: "ftp://x", auth: { key: { type: "bearer" } }, concurrency: 0 };
    for (const path of ["/admin/apis", "/admin/apis/preview"]) {
      const { status, json } = await send("POST", path, body);
      assert.equal(status, 400);
      assert.deepEqual(fieldsIn(json), ["auth.key.token", "concurrency", "url"]);
    }
    for (const [method, path, wrong, field] of [
      ["PATCH", "/admin/apis/pets", { enabeld: true }, "enabeld"],
      ["POST", "/admin/apis/pets/refresh", { dryRun: "yes" }, "dryRun"],
    ] as const) {
      assert.deepEqual(fieldsIn((await send(method, path, wrong)).json), [field]);
    }
    assert.deepEqual(imports.asked, []);
  });

  describe("with a large document", () => {
    /** Lines and quotes: each of them takes two bytes inside JSON. */
    const documentOf = (bytes: number) => '"a": 1,\n'.repeat(bytes / 8);
    const PLACES = ["/admin/apis/preview", "/admin/apis", "/admin/apis/pets/refresh"];

    it("takes ten megabytes where a document may come, though other bodies are held short", async () => {
      const document = documentOf(10_000_000);
      for (const path of ["/admin/apis", "/admin/apis/preview", "/admin/apis/pets/refresh"]) {
        const { status, text } = await send("POST", path, { document });
        assert.ok(status === 200 || status === 201, text);
      }
      assert.deepEqual(
        imports.asked.map((each) => (each as NewImport).document === document),
        [true, true, true],
      );
    });

    for (const path of PLACES) {
      it(`answers 413 to twenty megabytes at ${path}, and names the limit`, async () => {
        const { status, headers, json } = await send("POST", path, { document: documentOf(20_000_000) });
        assert.deepEqual([status, json["code"], headers.connection], [413, "TOO_LARGE", "close"]);
        assert.equal(json["detail"], "Too large: a request's body is limited to 16000000 bytes");
        assert.deepEqual(imports.asked, []);
      });
    }

    it("holds everything else to the usual limit", async () => {
      await create();
      const { status, json } = await send("PATCH", "/admin/apis/pets", { paths: [documentOf(200_000)] });
      assert.deepEqual([status, json["code"]], [413, "TOO_LARGE"]);
      assert.match(String(json["detail"]), /100000 bytes/);
    });

    it("refuses who is no administrator before any of it is sent", async () => {
      principal = { ...ADMIN, admin: undefined };
      const head = `POST /admin/apis HTTP/1.1\r\nhost: localhost:${doors.port}\r\nconnection: close\r\n`;
      const answer = await doors.raw(`${head}content-type: application/json\r\ncontent-length: 15000000\r\n\r\n`);
      assert.match(answer, /^HTTP\/1\.1 403 /);
      assert.match(answer, /"code":"FORBIDDEN"/);
      assert.deepEqual(imports.asked, []);
    });
  });
});

function namesIn(text: string): unknown {
  return JSON.parse(text).map(({ name }: { name: string }) => name);
}

function fieldsIn(problem: Answered["json"]): unknown {
  return (problem["errors"] as readonly { field: string }[]).map(({ field }) => field).sort();
}
