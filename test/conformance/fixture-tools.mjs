/**
 * The suite's tools that ask nobody anything, each as `tools/list` shows it, beside `run(args, call)`, which gives the
 * content or throws the tool's own error. fixture-definitions.mjs says what a `call` is. A table, hence its length.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { embedded, image, NO_ARGUMENTS, text, WAV } from "./fixture-content.mjs";

const STEP_MS = 50;

export const plainTools = [
  {
    name: "test_simple_text",
    description: "Answers with a simple text",
    inputSchema: NO_ARGUMENTS,
    run: () => [text("This is a simple text response for testing.")],
  },
  {
    name: "test_image_content",
    description: "Answers with an image",
    inputSchema: NO_ARGUMENTS,
    run: () => [image],
  },
  {
    name: "test_audio_content",
    description: "Answers with a sound",
    inputSchema: NO_ARGUMENTS,
    run: () => [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  },
  {
    name: "test_embedded_resource",
    description: "Answers with an embedded resource",
    inputSchema: NO_ARGUMENTS,
    run: () => [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  },
  {
    name: "test_multiple_content_types",
    description: "Answers with a text, an image and a resource",
    inputSchema: NO_ARGUMENTS,
    run: () => [
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  },
  {
    name: "test_tool_with_logging",
    description: "Sends three log messages while it works",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      call.log("info", "Tool execution started");
      await sleep(STEP_MS);
      call.log("info", "Tool processing data");
      await sleep(STEP_MS);
      call.log("info", "Tool execution completed");
      return [text("Tool with logging executed successfully")];
    },
  },
  {
    name: "test_logging_tool",
    description: "Sends a log message of every severity, to those who want them",
    inputSchema: NO_ARGUMENTS,
    run: (_args, call) => {
      for (const level of ["debug", "info", "warning", "error"]) call.log(level, `A message of level ${level}`);
      return [text("Logging tool executed successfully")];
    },
  },
  {
    name: "test_error_handling",
    description: "Always fails",
    inputSchema: NO_ARGUMENTS,
    run: () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  },
  {
    name: "test_tool_with_progress",
    description: "Reports its progress in three steps",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      call.progress(0, 100);
      await sleep(STEP_MS);
      call.progress(50, 100);
      await sleep(STEP_MS);
      call.progress(100, 100);
      return [text("Tool with progress executed successfully")];
    },
  },
  {
    name: "json_schema_2020_12_tool",
    description: "Tool with JSON Schema 2020-12 features",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword, in an object that nobody awaits
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: (args) => [text(`JSON Schema 2020-12 tool called with: ${JSON.stringify(args)}`)],
  },
  {
    name: "test_header_parameter",
    description: "Wants some of its arguments repeated in HTTP headers",
    inputSchema: {
      type: "object",
      properties: {
        region: { type: "string", description: "Goes into Mcp-Param-Region", "x-mcp-header": "Region" },
        priority: { type: "integer", description: "Goes into Mcp-Param-Priority", "x-mcp-header": "Priority" },
        note: { type: "string", description: "Stays in the body" },
      },
      required: ["region"],
    },
    run: (args) => [text(`Called with: ${JSON.stringify(args)}`)],
  },
  {
    name: "test_reconnection",
    description: "Says something, then takes long enough for the stream to be closed and opened again",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      call.log("info", "Reconnection test started");
      call.closeStream?.();
      await sleep(10 * STEP_MS, undefined, { signal: call.signal });
      return [text("Reconnection test completed")];
    },
  },
  {
    name: "test_trigger_tool_change",
    description: "Changes the list of tools",
    changesWith: "tools",
    inputSchema: NO_ARGUMENTS,
    run: (_args, call) => {
      call.change("tools");
      return [text("The list of tools has changed")];
    },
  },
  {
    name: "test_trigger_prompt_change",
    description: "Changes the list of prompts",
    inputSchema: NO_ARGUMENTS,
    run: (_args, call) => {
      call.change("prompts");
      return [text("The list of prompts has changed")];
    },
  },
];
