/**
 * mcp-remote, which many a client is configured with: in front of the hub, where it makes a stdio server of one of our
 * addresses, and behind it, where it makes one of somebody else's.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { CAN_BE_ASKED } from "./support/answers.ts";
import { mcpRemote } from "./support/bridges.ts";
import { withoutMarks } from "./support/era-marks.ts";
import { assertSwitched, HOUSE_TOOLS } from "./support/house.ts";
import { connectV1, type PeerClient } from "./support/official-clients.ts";
import { everything, type ListeningServer, listeningEverything } from "./support/official-servers.ts";

const temp = mkdtempSync(join(tmpdir(), "zaguan-remote-"));
after(() => rmSync(temp, { recursive: true, force: true }));

const DOCUMENT = { uri: "demo://resource/static/document/startup.md" };
const LONG = "trigger-long-running-operation";

describe("mcp-remote in front of the hub", () => {
  let hub: SpawnedZaguan;
  let direct: PeerClient;
  before(async () => {
    hub = await spawnZaguan({ config: { mcpServers: { everything: everything() } } });
    direct = await connectV1(everything(), CAN_BE_ASKED);
  });
  after(async () => {
    await direct.close();
    await hub.stop();
  });

  for (const [end, ...words] of [
    ["/mcp"],
    ["/mcp", "--protocol", "auto"],
    ["/sse", "--transport", "sse-only"],
  ] as const) {
    for (const place of ["", "/servers/everything"]) {
      describe(`${place}${end} ${words.join(" ")}`, () => {
        let client: PeerClient;
        before(async () => {
          client = await connectV1(mcpRemote(temp, `${hub.url}${place}${end}`, ...words), CAN_BE_ASKED);
        });
        after(() => client.close());

        test("lists", async () => {
          const own = await direct.tools();
          const tools = await client.toolsWhen(own.length + (place === "" ? HOUSE_TOOLS.length : 0));
          assert.deepEqual(tools.slice(-own.length), own);
          const prompts = await client.raw.listPrompts();
          assert.deepEqual(prompts.prompts, (await direct.raw.listPrompts()).prompts);
        });

        test("calls, and tells progress", async () => {
          if (place === "") assertSwitched(await client.call("set_light_state", { name: "salon", on: true }));
          const args = { location: "Chicago" };
          const result = withoutMarks(await client.callRaw("get-structured-content", args));
          assert.deepEqual(result, await direct.callRaw("get-structured-content", args));
          const seen = await client.stepsOf(LONG);
          assert.ok(seen.length >= 2, `only ${seen.length} steps`);
        });

        test("reads", async () => {
          const { contents } = await client.raw.readResource(DOCUMENT);
          assert.deepEqual(contents, (await direct.raw.readResource(DOCUMENT)).contents);
        });

        test("is asked", async () => {
          const { content } = await client.call("trigger-elicitation-request");
          assert.deepEqual(content, (await direct.call("trigger-elicitation-request")).content);
        });
      });
    }
  }
});

describe("mcp-remote behind the hub", () => {
  let far: SpawnedZaguan;
  let listening: ListeningServer;
  let hub: SpawnedZaguan;
  let direct: PeerClient;
  before(async () => {
    far = await spawnZaguan();
    listening = await listeningEverything();
    const mcpServers = {
      everything: mcpRemote(temp, listening.url),
      "far-hub": mcpRemote(temp, `${far.url}/mcp`),
      "far-modern": mcpRemote(temp, `${far.url}/mcp`, "--protocol", "auto"),
      "far-sse": mcpRemote(temp, `${far.url}/sse`, "--transport", "sse-only"),
    };
    hub = await spawnZaguan({ config: { devices: { house: false }, mcpServers } });
    direct = await connectV1(listening.url, CAN_BE_ASKED);
  });
  after(async () => {
    await direct.close();
    await hub.stop();
    await listening.close();
    await far.stop();
  });

  test("brings what server-everything has", async () => {
    const client = await connectV1(`${hub.url}/servers/everything/mcp`, CAN_BE_ASKED);
    const own = await direct.tools();
    assert.deepEqual(await client.toolsWhen(own.length), own);
    for (const name of ["get-tiny-image", "trigger-sampling-request", "trigger-elicitation-request"]) {
      const args = name === "trigger-sampling-request" ? { prompt: "hola" } : {};
      assert.deepEqual(await client.callRaw(name, args), await direct.callRaw(name, args), name);
    }
    assert.deepEqual(await client.raw.readResource(DOCUMENT), await direct.raw.readResource(DOCUMENT));
    await client.close();
  });

  for (const name of ["far-hub", "far-modern", "far-sse"]) {
    test(`brings the tools of another hub: ${name}`, async () => {
      const client = await connectV1(`${hub.url}/servers/${name}/mcp`);
      const beside = await connectV1(`${far.url}/mcp`);
      assert.deepEqual(await client.tools(), await beside.tools());
      assertSwitched(await client.call("set_light_state", { name: "cocina", on: true }));
      assert.deepEqual((await beside.call("list_lights_on")).structuredContent, { on: ["cocina"] });
      await Promise.all([client.close(), beside.close()]);
    });
  }

  test("all of them stand in one catalogue", async () => {
    const client = await connectV1(`${hub.url}/mcp`);
    const names = (await client.toolsWhen(3 * HOUSE_TOOLS.length + (await direct.tools()).length)).map(
      ({ name }) => name,
    );
    for (const tool of HOUSE_TOOLS) {
      for (const name of [tool, `far-modern__${tool}`, `far-sse__${tool}`]) assert.ok(names.includes(name), name);
    }
    await client.close();
  });
});
