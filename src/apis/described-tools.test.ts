import assert from "node:assert/strict";
import { beforeEach, describe, it, mock } from "node:test";
import { type OpenApis, openApisInMemory } from "../../test/support/open-apis.ts";
import { ADMIN } from "../../test/support/registry-ports.ts";
import { NEW_TOOL, PROVIDERS } from "./handsai/schemas.ts";
import type { ProviderInput, ToolInput } from "./handsai/types.ts";
import { providerView } from "./handsai/views.ts";

const TOOL = {
  name: "Weather",
  code: "weather",
  description: "The weather",
  baseUrl: "https://api.example.org",
  endpointPath: "/v1/current",
  httpMethod: "GET",
  authenticationType: "BEARER_TOKEN",
  apiKeyValue: "first",
};

function tool(more: object = {}): ToolInput {
  return NEW_TOOL.parse({ ...TOOL, ...more });
}

describe("a tool by itself that was exported", () => {
  let apis: OpenApis;
  beforeEach(async () => {
    apis = await openApisInMemory();
    await apis.tools.create(tool(), ADMIN);
  });

  async function exported(more: object = {}): Promise<ProviderInput[]> {
    const views = (await apis.providers.exportAll(["weather"])).map(providerView);
    return PROVIDERS.parse(views.map((view) => ({ ...view, ...more })));
  }

  it("is still by itself when it comes back: its key can be changed, and its code", async () => {
    await apis.providers.importAll(await exported(), ADMIN);
    const changed = await apis.tools.change("weather", () => tool({ code: "clima", apiKeyValue: "second" }), ADMIN);
    assert.equal(changed.provider, undefined);
    assert.deepEqual([...apis.attached.keys()], ["clima"]);
    assert.deepEqual(apis.attached.get("clima")?.auths, { "": { type: "bearer", token: "second" } });
  });

  it("is one of a provider's when it comes back with others", async () => {
    const [one] = await exported();
    assert.ok(one);
    const tools = [{ ...tool(), code: "tides" }];
    const [provider] = await apis.providers.importAll([{ ...one, tools }], ADMIN);
    assert.deepEqual(
      provider?.tools.map(({ code }) => code),
      ["weather", "tides"],
    );
    assert.deepEqual((await apis.tools.find("weather")).provider?.code, "weather");
  });

  it("goes alone when it is deleted: the provider's others stay, and the provider goes with the last", async () => {
    const [one] = await exported();
    assert.ok(one);
    await apis.providers.importAll([{ ...one, tools: [{ ...tool(), code: "tides" }] }], ADMIN);
    const full = mock.method(apis.store.apis, "save", () => Promise.reject(new Error("the disk is full")), {
      times: 1,
    });
    await assert.rejects(apis.tools.remove("weather"), /disk is full/);
    assert.equal(full.mock.callCount(), 1);
    assert.equal((await apis.tools.find("weather")).code, "weather", "told to have failed, it is still there");
    await apis.tools.remove("weather");
    await assert.rejects(apis.tools.find("weather"), { code: "NO_SUCH" });
    assert.deepEqual(
      (await apis.tools.list()).map(({ code }) => code),
      ["tides"],
    );
    assert.deepEqual(
      apis.attached.get("weather")?.operations.map(({ name }) => name),
      ["tides"],
    );
    await apis.tools.remove("tides");
    assert.deepEqual([await apis.tools.list(), [...apis.attached.keys()]], [[], []]);
  });
});
