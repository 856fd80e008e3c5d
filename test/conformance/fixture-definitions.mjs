/**
 * What the conformance suite asks a server to have: tools, resources, templates, prompts and completion, under the
 * suite's own names. It knows no wire: each form of the fixture (fixture-2025.mjs, fixture-2026.mjs) gives a tool or a
 * prompt a `call`:
 *
 *   log(level, data), progress(done, total)   as far as the client wants to hear them
 *   ask({ key: question }, { remember })      the answers by key; fails if the client cannot be asked
 *   askWhatItCan({ key: question })           the same without the questions that the client cannot answer
 *   change("tools" | "prompts")               changes that list and tells those who listen
 *   closeStream()                             where there is such a thing: sends the client away, to come back for the rest
 *   signal                                    aborted when nobody waits any more
 */
import { refuse } from "./fixture-connection.mjs";
import { elicitation, embedded, form, fromUser, image, PNG, text } from "./fixture-content.mjs";
import { askingTools } from "./fixture-questions.mjs";
import { plainTools } from "./fixture-tools.mjs";

export const serverInfo = { name: "zaguan-conformance-fixture", version: "1.0.0" };

export const instructions = "Everything here exists to be asked for by the conformance suite.";

export const tools = [...plainTools, ...askingTools];

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

/** How often a resource with subscribers says that it has changed. */
export const UPDATE_MS = 200;

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

/** Each as `prompts/list` shows it, beside `messages(args, call)`. */
export const prompts = [
  {
    name: "test_simple_prompt",
    description: "A prompt without arguments",
    changesWith: "prompts",
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
  {
    name: "test_input_required_result_prompt",
    description: "A prompt that asks the client's user for its context",
    messages: async (_args, call) => {
      const question = elicitation("What context should the prompt use?", form({ context: { type: "string" } }));
      const { user_context: answer } = await call.ask({ user_context: question });
      return [fromUser(text(`Use this context: ${answer.content?.context}`))];
    },
  },
];

const SUGGESTIONS = ["paris", "park", "party", "testament", "tester"];

/** What can follow the first characters of any argument. */
export function complete({ value }) {
  const values = SUGGESTIONS.filter((suggestion) => suggestion.startsWith(value));
  return { values, total: values.length, hasMore: false };
}

/** The prompt's messages; `call` is for the one that asks. */
export async function getPrompt({ name, arguments: args = {} }, call) {
  const prompt = prompts.find((known) => known.name === name) ?? refuse(-32602, `Unknown prompt: ${name}`);
  const missing = prompt.arguments?.find((argument) => argument.required && args[argument.name] === undefined);
  if (missing) refuse(-32602, `Missing argument: ${missing.name}`);
  return { description: prompt.description, messages: await prompt.messages(args, call) };
}

/** How often each list was changed; it shows, so that whoever reads the list again sees a difference. */
const changes = { tools: 0, prompts: 0 };

export function changeList(list) {
  changes[list] += 1;
}

/** A definition as a list shows it: without what the fixture alone needs. */
export function shown({ run, contents, messages, changesWith, ...rest }) {
  return changes[changesWith] ? { ...rest, title: `Changed ${changes[changesWith]} times` } : rest;
}
