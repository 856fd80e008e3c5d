import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { definitionOf } from "./arguments.ts";
import { boolean, defineTool, integer, string } from "./index.ts";

const handler = (): boolean => true;

describe("a tool of one's own in MCP's words", () => {
  test("requires what has no default, in seed 002's form", () => {
    const tool = defineTool({
      name: "self.audio_speaker.set_volume",
      description: "Sets the volume",
      properties: {
        volume: { type: "integer", minimum: 0, maximum: 100 },
        fade: { type: "integer", default: 0, minimum: 0 },
        mute: { type: "boolean", default: false },
        display: { type: "string", default: "" },
        on: { type: "boolean" },
      },
      handler,
    });
    assert.equal(
      JSON.stringify(definitionOf(tool)),
      JSON.stringify({
        name: "self.audio_speaker.set_volume",
        description: "Sets the volume",
        inputSchema: {
          type: "object",
          properties: {
            volume: { type: "integer", minimum: 0, maximum: 100 },
            fade: { type: "integer", default: 0, minimum: 0 },
            mute: { type: "boolean", default: false },
            display: { type: "string", default: "" },
            on: { type: "boolean" },
          },
          required: ["volume", "on"],
        },
      }),
    );
  });

  test("always says what is required, even if that is nothing", () => {
    assert.deepEqual(definitionOf(defineTool({ name: "a", description: "b", handler })).inputSchema, {
      type: "object",
      properties: {},
      required: [],
    });
  });

  test("comes out the same from the helpers, with descriptions and choices", () => {
    const tool = defineTool({
      name: "a",
      description: "b",
      properties: {
        size: integer({ min: 2, max: 9, default: 4, description: "How large" }),
        unit: string({ enum: ["cm", "m"], default: "m" }),
        fast: boolean({ default: true }),
        plain: integer(),
      },
      handler,
    });
    assert.deepEqual(definitionOf(tool).inputSchema, {
      type: "object",
      properties: {
        size: { type: "integer", default: 4, minimum: 2, maximum: 9, description: "How large" },
        unit: { type: "string", default: "m", enum: ["cm", "m"] },
        fast: { type: "boolean", default: true },
        plain: { type: "integer" },
      },
      required: ["plain"],
    });
  });

  test("speaks other languages where it can, and says when it only looks", () => {
    const tool = defineTool({ name: "a", description: "Looks", descriptions: { es: "Mira" }, readOnly: true, handler });
    assert.equal(definitionOf(tool, "es").description, "Mira");
    assert.equal(definitionOf(tool, "fr").description, "Looks");
    assert.deepEqual(definitionOf(tool).annotations, { readOnlyHint: true });
    assert.equal("annotations" in definitionOf(defineTool({ name: "a", description: "b", handler })), false);
  });
});
