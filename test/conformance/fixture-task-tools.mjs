/**
 * The suite's tools for the tasks extension. Beside what other tools have, their `call` has `later(work, { required })`:
 * a task, if the client knows them; otherwise the work is done at once, or refused if it is required to be a task.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { refuse } from "./fixture-connection.mjs";
import { elicitation, form, NO_ARGUMENTS, text } from "./fixture-content.mjs";

const STRING = { type: "string" };
const FAILING_MS = 1_000;
const MOMENT_MS = 50;

const confirmation = (message) => elicitation(message, form({ confirm: { type: "boolean" } }));

export const taskTools = [
  {
    name: "greet",
    description: "Greets at once",
    inputSchema: { type: "object", properties: { name: STRING }, required: ["name"] },
    run: ({ name }) => [text(`Hello, ${name}!`)],
  },
  {
    name: "slow_compute",
    description: "Takes the given number of seconds",
    inputSchema: { type: "object", properties: { seconds: { type: "number" }, label: STRING }, required: ["seconds"] },
    run: ({ seconds, label }, call) =>
      call.later(async ({ signal }) => {
        await sleep(seconds * 1_000, undefined, { signal });
        return [text(`Computed ${label ?? "something"} in ${seconds} s`)];
      }),
  },
  {
    name: "failing_job",
    description: "Fails after a second; only as a task",
    inputSchema: NO_ARGUMENTS,
    run: (_args, call) => call.later(fail, { required: true }),
  },
  {
    name: "protocol_error_job",
    description: "Breaks while it works",
    inputSchema: NO_ARGUMENTS,
    run: (_args, call) => call.later(breakDown),
  },
  {
    name: "confirm_delete",
    description: "Asks before it deletes (nothing)",
    inputSchema: { type: "object", properties: { filename: STRING }, required: ["filename"] },
    run: ({ filename }, call) =>
      call.later(async ({ ask }) => {
        const { confirm } = await ask({ confirm: confirmation(`Delete ${filename}?`) });
        return [text(confirm.action === "accept" ? `Deleted ${filename}` : `Kept ${filename}`)];
      }),
  },
  {
    name: "multi_input",
    description: "Asks two questions at the same time",
    inputSchema: NO_ARGUMENTS,
    run: (_args, call) =>
      call.later(async ({ ask }) => {
        const answers = await ask({ first: confirmation("First?"), second: confirmation("Second?") });
        return [text(`Answered: ${Object.keys(answers).join(", ")}`)];
      }),
  },
  {
    name: "test_tool_with_task",
    description: "Asks for a name, then greets in a task",
    inputSchema: NO_ARGUMENTS,
    run: async (_args, call) => {
      const question = elicitation("What is your name?", form({ name: STRING }));
      const { user_name: answer } = await call.ask({ user_name: question }, { remember: true });
      return call.later(async ({ signal }) => {
        await sleep(MOMENT_MS, undefined, { signal });
        return [text(`Hello, ${answer.content?.name}!`)];
      });
    },
  },
];

async function fail({ signal }) {
  await sleep(FAILING_MS, undefined, { signal });
  throw new Error("This job always fails");
}

async function breakDown({ signal }) {
  await sleep(MOMENT_MS, undefined, { signal });
  refuse(-32603, "This job always breaks");
}
