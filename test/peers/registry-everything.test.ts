/**
 * server-everything in the registry, over HTTP in two transports and as a program: registered once, its tools are found,
 * kept, linked to an agent and called; what is kept is what the server says of itself.
 */
import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { connectV1, type PeerClient, type PeerTool } from "./support/official-clients.ts";
import {
  everything,
  everythingOverSse,
  type ListeningServer,
  listeningEverything,
} from "./support/official-servers.ts";

let streamable: ListeningServer;
let sse: ListeningServer;
let hub: SpawnedZaguan;
let client: RegistryClient;
let direct: PeerClient;

before(async () => {
  [streamable, sse] = await Promise.all([listeningEverything(), everythingOverSse()]);
  hub = await spawnZaguan({ config: { auth: { allowedCommands: [process.execPath] } } });
  client = new RegistryClient(hub.url);
  // What it offers depends on what it may ask back: the same as the hub declares on behalf of its clients.
  const capabilities = { sampling: { tools: {} }, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };
  direct = await connectV1(everything(), { capabilities });
});

after(async () => {
  await direct.close();
  await hub.stop();
  await Promise.all([streamable.close(), sse.close()]);
});

const WAYS: Readonly<Record<string, () => object>> = {
  streamable: () => ({ baseUrl: streamable.url, authType: "none" }),
  sse: () => ({ baseUrl: sse.url, authType: "none" }),
  program: () => {
    const { command, args } = everything();
    return { command, args };
  },
};

for (const [name, way] of Object.entries(WAYS)) {
  describe(`server-everything, registered: ${name}`, () => {
    let found: Message[];

    test("its tools are found as it describes them", async () => {
      const { status, text } = await client.post("/mcp/servers", { name, ...way() });
      assert.equal(status, 201, text);
      found = (await client.done("POST", `/mcp/servers/${name}/discover`)).tools;
      const own = await direct.tools();
      assert.deepEqual(
        found.map((tool) => [tool.name, tool.description, tool.inputSchema]),
        own.map((tool) => [tool.name, tool["description"] ?? "", tool["inputSchema"]]),
      );
      const server = (await client.get(`/mcp/servers/${name}`)).body;
      assert.equal(server.status, "active");
      assert.ok(server.transport);
    });

    test("it is the server itself at its own door", async () => {
      const through = await connectV1(`${hub.url}/servers/${name}/mcp`);
      const names = (tools: readonly PeerTool[]): string[] => tools.map((tool) => tool.name);
      assert.ok(names(await through.tools()).includes("echo"));
      assert.deepEqual((await through.call("echo", { message: "hola" })).content, [
        { type: "text", text: "Echo: hola" },
      ]);
      await through.close();
    });

    test("an agent that is linked with two of its tools has those two, in an official client", async () => {
      const chosen = found.filter((tool) => ["echo", "get-sum"].includes(tool.name));
      assert.equal(chosen.length, 2, found.map((tool) => tool.name).join());
      await client.agent(`agent-${name}`, ...chosen.map(({ id }) => id));
      const agent = await connectV1(`${hub.url}/agents/agent-${name}/mcp`);
      const tools = await agent.tools();
      assert.equal(tools.length, 2);
      const echo = tools.find((tool) => tool.name.endsWith("echo"))?.name ?? "";
      assert.deepEqual((await agent.call(echo, { message: "hola" })).content, [{ type: "text", text: "Echo: hola" }]);
      const refused = await agent.call("get-env").catch((error: Error) => ({ isError: true, error }));
      assert.ok(refused.isError);
      await agent.close();
    });

    test("a refresh keeps the ids", async () => {
      const { tools } = (await client.done("POST", `/mcp/servers/${name}/refresh`)).tools;
      assert.deepEqual(
        tools.map(({ id }: Message) => id),
        found.map(({ id }) => id),
      );
    });
  });
}
