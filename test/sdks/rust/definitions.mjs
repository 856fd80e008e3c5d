/**
 * Writes what the conformance fixture offers into a file, as JSON for a server in another language: the lists, the answers
 * that are always the same, the messages of prompts with the names of their arguments in braces, and what is asked in each
 * round. Usage: node definitions.mjs FILE
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import {
  prompts,
  resources,
  resourceTemplates,
  serverInfo,
  shown,
  tools,
} from "../../conformance/fixture-definitions.mjs";

/** Tools that do something beside answering and asking; the server does that by its own means. */
const ACTIVE = /logging|progress|error_handling|reconnection|trigger|header_parameter/;
const ARGUMENTS = Object.fromEntries(
  ["arg1", "arg2", "resourceUri", "prompt", "message"].map((name) => [name, `{${name}}`]),
);

const definitions = {
  serverInfo,
  tools: tools.map(shown),
  resources: resources.map(shown),
  contents: resources.map(({ uri, mimeType, contents }) => ({ uri, mimeType, ...contents })),
  resourceTemplates,
  prompts: prompts.map(shown),
  answers: await each(
    tools.filter(({ name }) => !ACTIVE.test(name)),
    "run",
  ),
  messages: await each(prompts, "messages"),
};
writeFileSync(process.argv[2], JSON.stringify(definitions));

async function each(all, work) {
  return Object.fromEntries(await Promise.all(all.map(async (one) => [one.name, await watched(one[work])])));
}

/** Runs it with a client that answers everything, and notes what it was asked on the way. */
async function watched(work) {
  const rounds = [];
  const anyAnswer = new Proxy({}, { get: (_, key) => (key === "then" ? undefined : { content: {}, roots: [] }) });
  const ask = async (questions, options) => {
    rounds.push({ questions, ...options });
    return anyAnswer;
  };
  const result = await work(ARGUMENTS, { ask, askWhatItCan: ask, progress() {} });
  return { rounds, result };
}
