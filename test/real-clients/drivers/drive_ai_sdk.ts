/**
 * `@ai-sdk/mcp`, without a model: drive_ai_sdk.ts http URL | http-legacy URL | sse URL | stdio COMMAND ARGS…
 * It is loaded by a computed name: the project's type check must pass where it is not installed.
 */
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

const PERSON = { name: "Ana Núñez", check: true, email: "ana@example.org", integer: 7, number: 2.5 };

interface Client {
  readonly initializeResult: { readonly protocolVersion: string };
  listTools(): Promise<{ tools: readonly { name: string }[] }>;
  tools(): Promise<Record<string, { execute(args: object, options: object): Promise<Result> }>>;
  onElicitationRequest(schema: unknown, handler: () => object): void;
  close(): Promise<void>;
}

interface Result {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

const PACKAGE = "@ai-sdk/mcp";
const { createMCPClient, ElicitationRequestSchema } = await import(PACKAGE);
const [kind = "", ...words] = process.argv.slice(2);

const client: Client = await createMCPClient({
  transport: await transport(),
  capabilities: { elicitation: {} },
  protocolVersionDiscovery: kind !== "http-legacy",
});
try {
  client.onElicitationRequest(ElicitationRequestSchema, () => ({ action: "accept", content: PERSON }));
  const tools = await joined();
  const seen = {
    tools,
    revision: client.initializeResult.protocolVersion,
    switched: await call("set_light_state", { name: "salon", on: true }),
    echoed: await call("echo", { message: "ñ 你好 😀" }),
    elicited: await call("trigger-elicitation-request", {}),
  };
  process.stdout.write(JSON.stringify(seen));
} finally {
  await client.close();
}

async function transport(): Promise<object> {
  if (kind !== "stdio") return { type: kind === "sse" ? "sse" : "http", url: words[0] };
  const { Experimental_StdioMCPTransport: Stdio } = await import(`${PACKAGE}/mcp-stdio`);
  return new Stdio({ command: words[0], args: words.slice(1), stderr: "ignore" });
}

/** The tools' names, once the server behind the hub is up. */
async function joined(): Promise<string[]> {
  for (let tries = 0; tries < 300; tries++) {
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    if (names.includes("echo")) return names;
    await sleep(100);
  }
  throw new Error("server-everything did not join");
}

async function call(name: string, args: object): Promise<string> {
  const tool = (await client.tools())[name];
  if (!tool) throw new Error(`no tool ${name}`);
  const { content } = await tool.execute(args, { toolCallId: "1", messages: [] });
  return content.flatMap(({ text }) => text ?? []).join("\n");
}
