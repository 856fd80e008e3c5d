/**
 * The suite's tools that need something of the client: each asks with `call.ask({ key: question })` and gets the answers
 * by the same keys. Whether the question is a request to the client or the result "more input is needed" is for the form
 * of the fixture to know; with the latter the tool is run again from its beginning when the answers have come. A table,
 * hence its length.
 */
import { elicitation, form, NO_ARGUMENTS, rootsList, sampling, text } from "./fixture-content.mjs";

const STRING = { type: "string" };
const NAME = elicitation("What is your name?", form({ name: STRING }));
const CONFIRM = elicitation("Please confirm", form({ ok: { type: "boolean" } }));
const CAPITAL = sampling("What is the capital of France?");
/** The answers count only together with the state that was given out with the questions. */
const REMEMBER = { remember: true };

const described = ({ action, content }) => `action=${action}, content=${JSON.stringify(content ?? {})}`;
const said = ({ content }) => [content].flat()[0]?.text ?? "";
const listed = ({ roots }) => roots.map(({ uri }) => uri).join(", ");

export const askingTools = [
  {
    name: "test_sampling",
    description: "Asks the client's model",
    inputSchema: { type: "object", properties: { prompt: STRING }, required: ["prompt"] },
    run: async ({ prompt }, call) => {
      const { answer } = await call.ask({ answer: sampling(prompt) });
      return [text(`LLM response: ${said(answer)}`)];
    },
  },
  {
    name: "test_elicitation",
    description: "Asks the client's user",
    inputSchema: { type: "object", properties: { message: STRING }, required: ["message"] },
    run: async ({ message }, call) => {
      const { answer } = await call.ask({ answer: elicitation(message, WHO) });
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
    name: "test_missing_capability",
    description: "Cannot work without the client's model",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      const { answer } = await call.ask({ answer: CAPITAL });
      return [text(`LLM response: ${said(answer)}`)];
    },
  },
  {
    name: "test_streaming_elicitation",
    description: "Reports progress, then asks the client's user",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      call.progress(1, 2);
      const { user_name: answer } = await call.ask({ user_name: NAME });
      return [text(`User response: ${described(answer)}`)];
    },
  },
  {
    name: "test_input_required_result_elicitation",
    description: "Asks for a name and greets",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      const { user_name: answer } = await call.ask({ user_name: NAME });
      return [text(`Hello, ${answer.content?.name ?? "stranger"}!`)];
    },
  },
  {
    name: "test_input_required_result_sampling",
    description: "Asks the client's model for a capital",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      const { capital_question: answer } = await call.ask({ capital_question: CAPITAL });
      return [text(said(answer))];
    },
  },
  {
    name: "test_input_required_result_list_roots",
    description: "Asks for the client's roots",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      const { client_roots: answer } = await call.ask({ client_roots: rootsList });
      return [text(`Roots: ${listed(answer)}`)];
    },
  },
  {
    name: "test_input_required_result_request_state",
    description: "Asks for a confirmation, and for its own state beside it",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      await call.ask({ confirm: CONFIRM }, REMEMBER);
      return [text("state-ok")];
    },
  },
  {
    name: "test_input_required_result_tampered_state",
    description: "Asks for a confirmation, and notices when its state was changed on the way",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      await call.ask({ confirm: CONFIRM }, REMEMBER);
      return [text("state-ok")];
    },
  },
  {
    name: "test_input_required_result_multiple_inputs",
    description: "Asks three questions at the same time",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      const questions = { user_name: NAME, greeting: sampling("Generate a greeting", 50), client_roots: rootsList };
      const answers = await call.ask(questions, REMEMBER);
      const { user_name: name, greeting, client_roots: roots } = answers;
      return [text(`${said(greeting)} ${name.content?.name}, your roots are ${listed(roots)}`)];
    },
  },
  {
    name: "test_input_required_result_multi_round",
    description: "Asks two questions, the second after the answer to the first",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      const { step1 } = await call.ask(
        { step1: elicitation("Step 1: What is your name?", form({ name: STRING })) },
        REMEMBER,
      );
      const colour = elicitation("Step 2: What is your favorite color?", form({ color: STRING }));
      const { step2 } = await call.ask({ step2: colour }, REMEMBER);
      return [text(`${step1.content?.name} likes ${step2.content?.color}`)];
    },
  },
  {
    name: "test_input_required_result_capabilities",
    description: "Asks only what the client can answer",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      const answers = await call.askWhatItCan({ user_name: NAME, capital_question: CAPITAL });
      return [text(`Answered: ${Object.keys(answers).join(", ")}`)];
    },
  },
];

async function completeForm(call, message, requestedSchema) {
  const { answer } = await call.ask({ answer: elicitation(message, requestedSchema) });
  return [text(`Elicitation completed: ${described(answer)}`)];
}

const WHO = form({
  username: { type: "string", description: "User's response" },
  email: { type: "string", description: "User's email address" },
});

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
