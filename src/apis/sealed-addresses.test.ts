/** Addresses with a secret in them: the hub has it, the disk and whoever looks have not. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openApisInMemory } from "../../test/support/open-apis.ts";
import { ADMIN, openSecrets } from "../../test/support/registry-ports.ts";
import type { ToolInput } from "./handsai/types.ts";
import { toolView } from "./handsai/views.ts";

const DOCUMENT = JSON.stringify({
  openapi: "3.0.3",
  info: { title: "pets", version: "1" },
  servers: [{ url: "https://pets.example" }],
  paths: { "/pets": { get: { operationId: "pets", responses: {} } } },
});
const URL_OF_PETS = "https://pets.example/openapi.json?token=hUsh9x8y7z";

describe("a token in the address of an API", () => {
  it("is used, and is neither on the disk nor lost when what was shown is sent back", async () => {
    const apis = await openApisInMemory();
    apis.web.set(URL_OF_PETS, DOCUMENT);
    const baseUrl = "https://pets.example/v1?key=hUsh9x8y7z";
    await apis.imports.create({ name: "pets", url: URL_OF_PETS, baseUrl }, ADMIN);
    assert.doesNotMatch(JSON.stringify(await apis.store.apis.list()), /hUsh/);
    await apis.imports.change("pets", { baseUrl: "https://pets.example/v1?key=[redacted]" }, ADMIN);
    assert.equal(apis.attached.get("pets")?.baseUrl, baseUrl);
    assert.equal((await apis.imports.refresh("pets", {}, ADMIN)).api.url, URL_OF_PETS);
    assert.doesNotMatch(JSON.stringify(await apis.store.apis.list()), /hUsh/);
  });

  it("may stand in the path of a described tool", async () => {
    const apis = await openApisInMemory();
    await apis.tools.create(TOOL, ADMIN);
    assert.doesNotMatch(JSON.stringify(await apis.store.apis.tools()), /hUsh/);
    const shown = toolView(await apis.tools.find("now")) as { readonly endpointPath: string };
    assert.equal(shown.endpointPath, "/now?key=[redacted]&q={q}");
    await apis.tools.change("now", () => ({ ...TOOL, endpointPath: shown.endpointPath }), ADMIN);
    assert.match(JSON.stringify(apis.attached.get("now")?.operations), /hUsh9x8y7z/);
    assert.doesNotMatch(JSON.stringify(await apis.store.apis.tools()), /hUsh/);
  });

  it("that an earlier version wrote openly is under seal after the next start", async () => {
    const apis = await openApisInMemory();
    const described = JSON.stringify({ ...EMPTY, url: URL_OF_PETS });
    const api = {
      id: "1",
      name: "old",
      kind: "openapi",
      baseUrl: URL_OF_PETS,
      enabled: true,
      allowPrivate: false,
    } as const;
    await apis.store.apis.save([{ api: { ...api, described }, tools: [] }]);
    await apis.attachAll();
    assert.doesNotMatch(JSON.stringify(await apis.store.apis.list()), /hUsh/);
    assert.equal((await apis.imports.find("old")).url, URL_OF_PETS);
  });

  it("that an earlier version wrote openly beside one under seal is there, too, and neither is lost", async () => {
    const apis = await openApisInMemory();
    apis.web.set(URL_OF_PETS, DOCUMENT);
    const baseUrl = "https://pets.example/v1;token=hUsh0w1v2u";
    await apis.imports.create({ name: "pets", url: URL_OF_PETS, baseUrl }, ADMIN);
    const [api] = await apis.store.apis.list();
    assert.ok(api);
    await apis.store.apis.save([{ api: { ...api, baseUrl }, tools: await apis.store.apis.tools(api.id) }]);
    await apis.attachAll();
    assert.doesNotMatch(JSON.stringify(await apis.store.apis.list()), /hUsh/);
    assert.equal((await apis.imports.find("pets")).url, URL_OF_PETS);
    assert.equal(apis.attached.get("pets")?.baseUrl, baseUrl);
  });

  it("that does not open leaves the others alone, and what may be told in sight", async () => {
    const first = await openApisInMemory(openSecrets("one key"));
    first.web.set(URL_OF_PETS, DOCUMENT);
    await first.imports.create({ name: "pets", url: URL_OF_PETS, baseUrl: URL_OF_PETS }, ADMIN);
    const second = await openApisInMemory(openSecrets("another key"), first.store);
    await second.attachAll();
    assert.equal((await second.imports.find("pets")).url, "https://pets.example/openapi.json?token=[redacted]");
    assert.equal(second.attached.size, 0);
    assert.equal(second.reported.length, 1);
  });
});

const TOOL: ToolInput = {
  name: "Now",
  code: "now",
  enabled: true,
  description: "",
  endpointPath: "/now?key=hUsh9x8y7z&q={q}",
  bodyPayloadTemplate: null,
  parameters: [],
  isExportable: true,
  baseUrl: "https://weather.example",
  apiKeyName: null,
  oauth2: null,
  dynamicAuth: null,
  httpMethod: "GET",
  authenticationType: "NONE",
  apiKeyLocation: "NONE",
};

const EMPTY = {
  title: "",
  tags: [],
  paths: [],
  schemes: [],
  given: [],
  headerNames: [],
  callsPerMinute: null,
  concurrency: null,
  skipped: [],
};
