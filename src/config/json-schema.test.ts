/** The JSON Schema that ships, and the page that explains it, held against each other. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parseConfig } from "./load.ts";
import { renderJsonSchema } from "./schema.ts";

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly items?: SchemaNode;
  readonly default?: unknown;
  readonly description?: string;
}

const root = join(import.meta.dirname, "..", "..");
const schema = JSON.parse(renderJsonSchema()) as SchemaNode;
const page = readFileSync(join(root, "docs", "config.md"), "utf8");
const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");

describe("schema/zaguan.schema.json", () => {
  it("is what the schema makes of itself", () => {
    const committed = readFileSync(join(root, "schema", "zaguan.schema.json"), "utf8");
    assert.equal(committed, renderJsonSchema(), "run: npm run generate");
  });

  it("accepts and refuses as the hub does", () => {
    const validate = new Ajv2020({ strict: false }).compile(schema);
    for (const example of examples) assert.ok(validate(JSON.parse(example)), JSON.stringify(validate.errors));
    const wrong = [
      { limitz: {} },
      { mcpServers: { a: {} } },
      { mcpServers: { a: { command: "x", url: "http://a" } } },
      { mcpServers: { house: { command: "x" } } },
      { mcpServers: { a: { command: "x", comand: "y" } } },
      { limits: { sessions: 0 } },
      { devices: { house: { lights: [1] } } },
      { log: { level: "loud" } },
      { homeAssistant: { url: "http://a:8123" } },
      { homeAssistant: { madrid: { url: "http://a:8123" } } },
      { apiTools: { a: {} } },
      { apiTools: { a: { openapi: "a.json", tools: [{ name: "t", description: "d", path: "/" }] } } },
      { apiTools: { a: { tools: [{ name: "t", description: "d", path: "/" }] } } },
      { apiTools: { a: { openapi: "a.json", auth: { type: "digest" } } } },
      { apiTools: { a: { openapi: "a.json", auth: { pets: { type: "bearer" } } } } },
      { xiaozhi: { endpoints: [{ name: "a" }] } },
      { xiaozhi: { endpoints: [{ url: "wss://a", as: "robot" }] } },
      { xiaozhi: { vision: { token: "t" } } },
    ];
    for (const form of wrong) {
      assert.equal(validate(form), false, JSON.stringify(form));
      assert.throws(() => parseConfig(JSON.stringify(form), "zaguan.json", {}));
    }
  });

  it("describes every key", () => {
    const silent = keys(schema).filter(([, node]) => !node.description);
    assert.deepEqual(silent, []);
  });
});

describe("docs/config.md", () => {
  it("names every key of the schema", () => {
    const unnamed = keys(schema)
      .map(([key]) => key)
      .filter((key) => !page.includes(`\`${key}\``) && !page.includes(`\n## ${key}\n`));
    assert.deepEqual(unnamed, []);
    assert.ok(keys(schema).length > 50);
  });

  it("tells the defaults of the schema", () => {
    const simple = keys(schema).filter(([, node]) => node.default !== undefined && !node.properties);
    for (const [key, node] of simple) {
      const row = page.split("\n").find((line) => line.startsWith(`| \`${key}\` |`)) ?? page;
      const written = JSON.stringify(node.default).replaceAll(",", ", ");
      assert.ok(row.includes(`\`${written}\``), `${key}: ${written}`);
    }
  });

  it("has examples that the hub accepts", () => {
    assert.ok(examples.length >= 6);
    const names = [
      "NOTES_TOKEN",
      "HASS_TOKEN",
      "PETS_TOKEN",
      "WEATHER_KEY",
      "XIAOZHI_TOKEN",
      "RELAY_TOKEN",
      "DB_PASSWORD",
      "NATS_PASSWORD",
    ];
    const env = Object.fromEntries(names.map((name) => [name, "t"]));
    for (const example of examples) parseConfig(example, "zaguan.json", env);
  });
});

/** Every key at every depth. */
function keys(node: SchemaNode): [string, SchemaNode][] {
  const own = Object.entries(node.properties ?? {});
  const below = [...own.map(([, inner]) => inner), ...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  if (node.items) below.push(node.items);
  if (typeof node.additionalProperties === "object") below.push(node.additionalProperties);
  return [...own, ...below.flatMap(keys)];
}
