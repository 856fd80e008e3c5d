import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LANGUAGES } from "../../messages/catalogue.ts";
import { toolsIn } from "./tools.ts";

const french = toolsIn("fr");

describe("the tools of a house", () => {
  it("are the eight of seed 003, in its order", () => {
    for (const language of LANGUAGES) {
      assert.deepEqual(
        toolsIn(language).map(({ name }) => name),
        [
          "get_entities",
          "get_entity_state",
          "call_service",
          "get_history",
          "get_services",
          "create_automation",
          "list_automations",
          "toggle_automation",
        ],
      );
    }
  });

  it("say in French what the seed prints", () => {
    const [entities, , service] = french;
    assert.equal(entities?.description, "Récupère la liste de toutes les entités Home Assistant avec leurs états");
    assert.deepEqual(Object.entries(entities?.inputSchema["properties"] ?? {})[0], [
      "domain",
      {
        type: "string",
        description: "Filtrer par domaine (optionnel): light, switch, sensor, etc.",
      },
    ]);
    assert.equal(service?.description, "Appelle un service Home Assistant pour contrôler des appareils");
    assert.deepEqual(Object.entries(service?.inputSchema["properties"] ?? {}).slice(0, 4), [
      ["domain", { type: "string", description: "Domaine du service" }],
      ["service", { type: "string", description: "Service à appeler" }],
      ["entity_id", { type: "string", description: "ID de l'entité cible" }],
      ["data", { type: "object", description: "Données additionnelles" }],
    ]);
    assert.deepEqual(service?.inputSchema["required"], ["domain", "service"]);
  });

  it("show what they take beside, and ask nobody for it", () => {
    const names = french.map(({ inputSchema }) => Object.keys(inputSchema["properties"] as object));
    const [entities, , service, , services] = names;
    assert.deepEqual(entities, ["domain", "search", "area", "state", "limit", "offset"]);
    assert.deepEqual(service?.slice(4), ["target", "area"]);
    assert.deepEqual(services, ["domain", "service"]);
    assert.equal(french[0]?.inputSchema["required"], undefined);
  });

  it("say which of them only look", () => {
    const reading = french.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
    assert.deepEqual(reading, ["get_entities", "get_entity_state", "get_history", "get_services", "list_automations"]);
    const mayRepeat = french.filter(({ annotations }) => annotations?.idempotentHint).map(({ name }) => name);
    assert.deepEqual(mayRepeat, ["toggle_automation"]);
    const destructive = french.filter(({ annotations }) => annotations?.["destructiveHint"]).map(({ name }) => name);
    assert.deepEqual(destructive, ["call_service", "toggle_automation"]);
  });

  it("have no parameter without words", () => {
    for (const { name, inputSchema } of LANGUAGES.flatMap((language) => toolsIn(language))) {
      for (const [parameter, schema] of Object.entries(
        inputSchema["properties"] as Record<string, { description?: string }>,
      )) {
        assert.ok(schema.description, `${name}.${parameter}`);
      }
    }
  });
});
