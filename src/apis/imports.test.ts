import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { type OpenApis, openApisInMemory } from "../../test/support/open-apis.ts";
import { ADMIN, openSecrets } from "../../test/support/registry-ports.ts";

function petstore(paths: object, more: object = {}): string {
  const components = {
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Key" },
      user: { type: "http", scheme: "basic" },
    },
  };
  const servers = [{ url: "https://pets.example.org/v1" }];
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Pet Störe 3", version: "1" },
    servers,
    components,
    paths,
    ...more,
  });
}

const LIST = { get: { operationId: "listPets", tags: ["pets"], responses: {} } };
const SHOP = { get: { operationId: "listShops", tags: ["shops"], responses: {} } };
const ADD = { post: { operationId: "addPet", responses: {} } };

describe("an imported document", () => {
  let apis: OpenApis;
  beforeEach(async () => {
    apis = await openApisInMemory();
  });

  it("is attached under the name of its title, with its operations and its own address", async () => {
    const api = await apis.imports.create({ document: petstore({ "/pets": LIST, "/shops": SHOP }) }, ADMIN);
    assert.deepEqual([api.name, api.title, api.tools], ["pet-store-3", "Pet Störe 3", 2]);
    const options = apis.attached.get("pet-store-3");
    assert.equal(options?.baseUrl, "https://pets.example.org/v1");
    assert.deepEqual(
      options?.operations.map(({ name }) => name),
      ["listPets", "listShops"],
    );
    assert.equal(apis.announced, 1);
    assert.deepEqual(await apis.imports.operations(api.id), [
      { name: "listPets", method: "GET", path: "/pets", description: "GET /pets" },
      { name: "listShops", method: "GET", path: "/shops", description: "GET /shops" },
    ]);
  });

  it("is shown before anything of it is kept", async () => {
    const preview = await apis.imports.preview({ document: petstore({ "/pets": LIST, "/shops": SHOP }) }, ADMIN);
    assert.deepEqual(preview.tags, ["pets", "shops"]);
    assert.deepEqual(
      preview.schemes.map(({ name, type }) => [name, type]),
      [
        ["key", "apiKey"],
        ["user", "basic"],
      ],
    );
    assert.equal(preview.operations.length, 2);
    assert.deepEqual(await apis.imports.list(), []);
  });

  it("is imported in part, by tags and paths", async () => {
    const document = petstore({ "/pets": LIST, "/shops": SHOP });
    assert.equal((await apis.imports.create({ document, name: "a", tags: ["pets"] }, ADMIN)).tools, 1);
    assert.equal((await apis.imports.create({ document, name: "b", paths: ["/shops"] }, ADMIN)).tools, 1);
  });

  it("keeps its credentials sealed, by scheme or for all, and tells only which there are", async () => {
    const document = petstore({ "/pets": LIST });
    const auth = { key: { type: "apiKey", in: "header", name: "X-Key", value: "s3cret" } } as const;
    const api = await apis.imports.create({ document, auth, headers: { "X-Own": "hidden" } }, ADMIN);
    assert.deepEqual(
      api.schemes.map(({ name, given }) => [name, given]),
      [
        ["key", true],
        ["user", false],
      ],
    );
    assert.deepEqual(api.headerNames, ["X-Own"]);
    assert.doesNotMatch(JSON.stringify([api, await apis.imports.list()]), /s3cret|hidden/);
    const { sealed, ...kept } = (await apis.store.apis.get(api.id)) ?? assert.fail();
    assert.doesNotMatch(JSON.stringify(kept), /s3cret|hidden/);
    assert.ok(sealed);
    assert.deepEqual(apis.attached.get(api.name)?.auths, auth);
    const changed = await apis.imports.change(api.name, { auth: { type: "bearer", token: "t0ken" } }, ADMIN);
    assert.ok(changed.schemes.every(({ given }) => given));
    assert.deepEqual(apis.attached.get(api.name)?.auths, { "": { type: "bearer", token: "t0ken" } });
    assert.deepEqual(apis.attached.get(api.name)?.headers, { "X-Own": "hidden" });
  });

  it("refuses credentials for a scheme that the document has not, naming those that it has", async () => {
    const auth = { kye: { type: "bearer", token: "t" } } as const;
    await assert.rejects(apis.imports.create({ document: petstore({ "/pets": LIST }), auth }, ADMIN), {
      code: "INVALID_PARAMS",
      message: /kye.*key, user/,
    });
  });

  it("takes no credentials along to another origin", async () => {
    const document = petstore({ "/pets": LIST });
    const { id, name } = await apis.imports.create({ document, auth: { type: "bearer", token: "t" } }, ADMIN);
    await apis.imports.change(id, { baseUrl: "https://pets.example.org/v2" }, ADMIN);
    assert.deepEqual(Object.keys(apis.attached.get(name)?.auths ?? {}), [""]);
    await apis.imports.change(id, { baseUrl: "https://elsewhere.example.org" }, ADMIN);
    assert.deepEqual(apis.attached.get(name)?.auths, {});
  });

  it("is refreshed from where it came; what changed is told, ids stay, and a look changes nothing", async () => {
    const url = "https://pets.example.org/openapi.json";
    apis.web.set(url, petstore({ "/pets": LIST, "/shops": SHOP }));
    const { id, name } = await apis.imports.create({ url }, ADMIN);
    const [pets] = await apis.store.apis.tools(id);
    const listed = { get: { ...LIST.get, summary: "All pets" } };
    apis.web.set(url, petstore({ "/pets": listed, "/new": ADD }, { servers: [{ url: "https://evil.example.org" }] }));
    const changes = {
      added: ["addPet"],
      removed: ["listShops"],
      changed: [{ name: "listPets", members: ["title", "description"] }],
    };
    const look = await apis.imports.refresh(id, { dryRun: true }, ADMIN);
    assert.deepEqual([look.changes, look.api.tools], [changes, 2]);
    assert.equal(apis.attached.get(name)?.operations.length, 2);
    const done = await apis.imports.refresh(id, {}, ADMIN);
    assert.deepEqual(done.changes, changes);
    assert.deepEqual(
      apis.attached.get(name)?.operations.map((operation) => operation.name),
      ["listPets", "addPet"],
    );
    assert.equal((await apis.store.apis.tools(id))[0]?.id, pets?.id);
    assert.equal(done.api.baseUrl, "https://pets.example.org/v1", "a document does not move our credentials");
  });

  it("that was pasted is refreshed with another text", async () => {
    const { id } = await apis.imports.create({ document: petstore({ "/pets": LIST }) }, ADMIN);
    await assert.rejects(apis.imports.refresh(id, {}, ADMIN), { code: "INVALID_PARAMS" });
    const { changes } = await apis.imports.refresh(id, { document: petstore({ "/pets": LIST, "/new": ADD }) }, ADMIN);
    assert.deepEqual(changes.added, ["addPet"]);
  });

  it("is renamed, switched off and on, and removed", async () => {
    const { id } = await apis.imports.create({ document: petstore({ "/pets": LIST }), name: "pets" }, ADMIN);
    await apis.imports.change(id, { name: "animals" }, ADMIN);
    assert.deepEqual([...apis.attached.keys()], ["animals"]);
    await apis.imports.change(id, { enabled: false }, ADMIN);
    assert.deepEqual([...apis.attached.keys()], []);
    await apis.imports.change(id, { enabled: true }, ADMIN);
    assert.deepEqual([...apis.attached.keys()], ["animals"]);
    await apis.imports.remove("animals");
    assert.deepEqual([...apis.attached.keys()], []);
    await assert.rejects(apis.imports.find(id), { code: "NO_SUCH" });
  });

  it("needs a whole address, from the document or from whoever imports it", async () => {
    for (const servers of [[], [{ url: "/v1" }], [{ url: "https://user:secret@pets.example.org" }]]) {
      const document = petstore({ "/pets": LIST }, { servers });
      await assert.rejects(apis.imports.create({ document }, ADMIN), { code: "INVALID_PARAMS", message: /baseUrl/ });
    }
    const document = petstore({ "/pets": LIST }, { servers: [] });
    assert.equal((await apis.imports.create({ document, baseUrl: "https://a.example.org" }, ADMIN)).tools, 1);
  });

  it("may not lead to a private address, nor be fetched from one", async () => {
    const document = petstore({ "/pets": LIST }, { servers: [{ url: "http://10.0.0.7" }] });
    await assert.rejects(apis.imports.create({ document }, ADMIN), { code: "FORBIDDEN_ADDRESS" });
    await assert.rejects(apis.imports.create({ url: "http://192.168.1.1/openapi.json" }, ADMIN), {
      code: "FORBIDDEN_ADDRESS",
    });
    apis.allowPrivate = true;
    assert.equal((await apis.imports.create({ document }, ADMIN)).tools, 1);
  });

  it("of which nothing can be read is refused with the reason, and nothing is kept", async () => {
    for (const [document, reason] of [
      ["", /empty/],
      ["{", /JSON/],
      ['{"swagger":"2.0"}', /Swagger 2\.0/],
      ["openapi: 3.0.0\na: &a [*a, *a]", /./],
    ] as const) {
      await assert.rejects(apis.imports.create({ document, name: "x" }, ADMIN), {
        code: "INVALID_PARAMS",
        message: reason,
      });
    }
    await assert.rejects(apis.imports.create({}, ADMIN), { message: /url or document/ });
    await assert.rejects(apis.imports.create({ url: "https://a.example.org", document: "{}" }, ADMIN), {
      message: /exclude/,
    });
    assert.deepEqual(await apis.imports.list(), []);
  });

  it("cannot take a name that is taken", async () => {
    const document = petstore({ "/pets": LIST });
    await apis.imports.create({ document, name: "pets" }, ADMIN);
    await assert.rejects(apis.imports.create({ document, name: "PETS" }, ADMIN), { code: "NAME_TAKEN" });
  });

  it("comes back with the next start; one whose secrets cannot be opened keeps nobody else away", async () => {
    const document = petstore({ "/pets": LIST });
    await apis.imports.create({ document, name: "sealed", auth: { type: "bearer", token: "t" } }, ADMIN);
    await apis.imports.create({ document, name: "open" }, ADMIN);
    const again = await openApisInMemory(openSecrets("another key"), apis.store);
    await again.attachAll();
    assert.deepEqual([...again.attached.keys()], ["open"]);
    assert.equal(again.reported.length, 1);
  });

  it("whose secrets cannot be opened is not changed without new ones, and is with them", async () => {
    const document = petstore({ "/pets": LIST });
    const old = { auth: { type: "bearer", token: "old" }, headers: { "X-Own": "old" } } as const;
    for (const name of ["by-auth", "by-headers"]) await apis.imports.create({ document, name, ...old }, ADMIN);
    const again = await openApisInMemory(openSecrets("another key"), apis.store);
    await assert.rejects(again.imports.change("by-auth", { enabled: true }, ADMIN));
    const auth = { type: "bearer", token: "new" } as const;
    await again.imports.change("by-auth", { auth }, ADMIN);
    const byAuth = again.attached.get("by-auth");
    assert.deepEqual([byAuth?.auths, byAuth?.headers], [{ "": auth }, {}]);
    await again.imports.change("by-headers", { headers: { "X-Own": "new" } }, ADMIN);
    const byHeaders = again.attached.get("by-headers");
    assert.deepEqual(
      [Object.keys(byHeaders?.auths ?? {}).includes(""), byHeaders?.headers],
      [false, { "X-Own": "new" }],
    );
  });
});
