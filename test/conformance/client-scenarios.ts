/** What each of the suite's scenarios for clients asks a client to do, by name. The hub in between is what is judged. */
import { answerTo, type DoorClient, type Json, type Schema, sample } from "./client.ts";

type Steps = (client: DoorClient, context: Json) => Promise<unknown>;

interface Tool {
  readonly name: string;
  readonly inputSchema: Schema;
}

export const SCENARIOS: Readonly<Record<string, Steps>> = {
  initialize: listTools,
  tools_call: async (client) => {
    await listTools(client);
    await callTool(client, "add_numbers", { a: 2, b: 3 });
  },
  "elicitation-sep1034-client-defaults": (client) => callTool(client, "test_client_elicitation_defaults"),
  "sse-retry": (client) => callTool(client, "test_reconnection"),
  "request-metadata": async (client) => {
    await client.request("server/discover");
    await listTools(client);
  },
  "sep-2322-client-request-state": inRounds,
  "http-standard-headers": useEverything,
  "http-custom-headers": callAsTold,
  "http-invalid-tool-headers": callEveryTool,
  "json-schema-ref-no-deref": listTools,
  "json-schema-2020-12-preservation": async (client) => {
    const tool = (await listTools(client)).find(({ name }) => name === "json_schema_2020_12_tool");
    await callTool(client, "json_schema_echo", { schema: tool?.inputSchema });
  },
};

async function listTools(client: DoorClient): Promise<readonly Tool[]> {
  const { tools } = await client.request("tools/list");
  return tools as readonly Tool[];
}

/** An answer of the hub itself ("no such tool", "wrong arguments") is a failure of the scenario as well. */
async function callTool(client: DoorClient, name: string, args: Json = {}, more: Json = {}): Promise<Json> {
  const result = await client.request("tools/call", { name, arguments: args, ...more });
  if (result["isError"]) throw new Error(`${name} failed: ${JSON.stringify(result["content"])}`);
  return result;
}

/** Something else is asked between the rounds: nothing of theirs may be found in it. */
async function inRounds(client: DoorClient): Promise<void> {
  await listTools(client);
  const asked = await callTool(client, "test_mrtr_echo_state");
  await callTool(client, "test_mrtr_unrelated");
  await callTool(client, "test_mrtr_echo_state", {}, answersTo(asked));
  await callTool(client, "test_mrtr_no_state", {}, answersTo(await callTool(client, "test_mrtr_no_state")));
  await callTool(client, "test_mrtr_no_result_type");
}

function answersTo({ inputRequests, requestState }: Json): Json {
  const questions = Object.entries(inputRequests as Readonly<Record<string, { method: string; params?: Json }>>);
  const answers = questions.map(([key, { method, params }]) => [key, answerTo(method, params)]);
  return { inputResponses: Object.fromEntries(answers), ...(requestState !== undefined && { requestState }) };
}

async function useEverything(client: DoorClient): Promise<void> {
  for (const { name } of await listTools(client)) await callTool(client, name);
  const { resources } = await client.request("resources/list");
  for (const { uri } of resources as readonly Json[]) await client.request("resources/read", { uri });
  const { prompts } = await client.request("prompts/list");
  for (const { name } of prompts as readonly Json[]) await client.request("prompts/get", { name });
}

/** Without the arguments that are null: no schema of these tools allows null, and a hub that checks them may say so. */
async function callAsTold(client: DoorClient, context: Json): Promise<void> {
  await listTools(client);
  for (const { name, arguments: args } of context["toolCalls"] as readonly { name: string; arguments: Json }[]) {
    await callTool(client, name, Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)));
  }
}

/** Everything that is listed: leaving out what breaks the rules for headers is the hub's task. */
async function callEveryTool(client: DoorClient): Promise<void> {
  for (const { name, inputSchema } of await listTools(client))
    await callTool(client, name, sample(inputSchema) as Json);
}
