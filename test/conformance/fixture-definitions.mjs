/**
 * What the conformance suite asks a server to have: tools, resources, templates, prompts and completion, under the
 * suite's own names. It knows no wire: each form of the fixture (fixture-2025.mjs …) gives a tool a `call` with
 * `log(level, data)`, `progress(done, total)`, `ask(method, params)` of the client, and `signal`.
 */
import { setTimeout as sleep } from "node:timers/promises";

/** One red pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
/** Half a millisecond of silence. */
const WAV = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAgICA";
const STEP_MS = 50;
const NO_ARGUMENTS = { type: "object", properties: {} };

const text = (value) => ({ type: "text", text: value });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const embedded = (uri, mimeType, value) => ({ type: "resource", resource: { uri, mimeType, text: value } });
const fromUser = (content) => ({ role: "user", content });
const described = ({ action, content }) => `action=${action}, content=${JSON.stringify(content ?? {})}`;

export const serverInfo = { name: "zaguan-conformance-fixture", version: "1.0.0" };

export const instructions = "Everything here exists to be asked for by the conformance suite.";

/** Each as `tools/list` shows it, beside `run(args, call)`, which gives the content or throws the tool's own error. */
export const tools = [
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
    name: "test_sampling",
    description: "Asks the client's model",
    inputSchema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    run: async ({ prompt }, call) => {
      const { content } = await call.ask("sampling/createMessage", {
        messages: [fromUser(text(prompt))],
        maxTokens: 100,
      });
      return [text(`LLM response: ${content.text}`)];
    },
  },
  {
    name: "test_elicitation",
    description: "Asks the client's user",
    inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
    run: async ({ message }, call) => {
      const answer = await call.ask("elicitation/create", { message, requestedSchema: WHO });
      return [text(`User response: ${described(answer)}`)];
    },
  },
  {
    name: "test_elicitation_sep1034_defaults",
    description: "Asks the client's user with a default for every primitive type",
    inputSchema: NO_ARGUMENTS,
    run: (_args, call) => completeForm(call, "Please review the defaults", DEFAULTS),
  },
  {
    name: "test_elicitation_sep1330_enums",
    description: "Asks the client's user with every kind of choice",
    inputSchema: NO_ARGUMENTS,
    run: (_args, call) => completeForm(call, "Please choose", CHOICES),
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
    name: "test_reconnection",
    description: "Says something, then takes long enough for the stream to be closed and opened again",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      call.log("info", "Reconnection test started");
      await sleep(10 * STEP_MS, undefined, { signal: call.signal });
      return [text("Reconnection test completed")];
    },
  },
];

/** Each as `resources/list` shows it, beside `contents`, which `resources/read` gives with the URI and the type. */
export const resources = [
  {
    uri: "test://static-text",
    name: "static-text",
    description: "A text that never changes",
    mimeType: "text/plain",
    contents: { text: "This is the content of the static text resource." },
  },
  {
    uri: "test://static-binary",
    name: "static-binary",
    description: "An image that never changes",
    mimeType: "image/png",
    contents: { blob: PNG },
  },
  {
    uri: "test://watched-resource",
    name: "watched-resource",
    description: "A text that tells its subscribers of changes",
    mimeType: "text/plain",
    contents: { text: "Watched resource content" },
  },
  {
    uri: "test://example-resource",
    name: "example-resource",
    description: "What a prompt embeds",
    mimeType: "text/plain",
    contents: { text: "Example resource content" },
  },
];

const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

export const resourceTemplates = [
  {
    uriTemplate: "test://template/{id}/data",
    name: "template",
    description: "Data made from the id in its address",
    mimeType: "application/json",
  },
];

/** The contents behind an address, or undefined. */
export function readResource(uri) {
  const known = resources.find((resource) => resource.uri === uri);
  if (known) return [{ uri, mimeType: known.mimeType, ...known.contents }];
  const [, id] = TEMPLATE.exec(uri) ?? [];
  if (id === undefined) return undefined;
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return [{ uri, mimeType: "application/json", text: JSON.stringify(data) }];
}

/** Each as `prompts/list` shows it, beside `messages(args)`. */
export const prompts = [
  {
    name: "test_simple_prompt",
    description: "A prompt without arguments",
    messages: () => [fromUser(text("This is a simple prompt for testing."))],
  },
  {
    name: "test_prompt_with_arguments",
    description: "A prompt with two arguments",
    arguments: [
      { name: "arg1", description: "First test argument", required: true },
      { name: "arg2", description: "Second test argument", required: true },
    ],
    messages: ({ arg1, arg2 }) => [fromUser(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A prompt that embeds a resource",
    arguments: [{ name: "resourceUri", description: "URI of the resource to embed", required: true }],
    messages: ({ resourceUri }) => [
      fromUser(embedded(resourceUri, "text/plain", "Embedded resource content for testing.")),
      fromUser(text("Please process the embedded resource above.")),
    ],
  },
  {
    name: "test_prompt_with_image",
    description: "A prompt with an image",
    messages: () => [fromUser(image), fromUser(text("Please analyze the image above."))],
  },
];

const SUGGESTIONS = ["paris", "park", "party", "testament", "tester"];

/** What can follow the first characters of any argument. */
export function complete({ value }) {
  const values = SUGGESTIONS.filter((suggestion) => suggestion.startsWith(value));
  return { values, total: values.length, hasMore: false };
}

/** A definition as a list shows it: without what the fixture alone needs. */
export function shown({ run, contents, messages, ...rest }) {
  return rest;
}

async function completeForm(call, message, requestedSchema) {
  const answer = await call.ask("elicitation/create", { message, requestedSchema });
  return [text(`Elicitation completed: ${described(answer)}`)];
}

const WHO = {
  type: "object",
  properties: {
    username: { type: "string", description: "User's response" },
    email: { type: "string", description: "User's email address" },
  },
  required: ["username", "email"],
};

const DEFAULTS = {
  type: "object",
  properties: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
  required: [],
};

const PLAIN_OPTIONS = ["option1", "option2", "option3"];
const titled = (noun) => [
  { const: "value1", title: `First ${noun}` },
  { const: "value2", title: `Second ${noun}` },
  { const: "value3", title: `Third ${noun}` },
];

const CHOICES = {
  type: "object",
  properties: {
    untitledSingle: { type: "string", enum: PLAIN_OPTIONS },
    titledSingle: { type: "string", oneOf: titled("Option") },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: PLAIN_OPTIONS } },
    titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
  },
  required: [],
};
