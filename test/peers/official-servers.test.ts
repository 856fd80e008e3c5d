/**
 * Official servers as sources, over stdio and over Streamable HTTP: all that they offer stands beside the house, works,
 * and is to the client what it would be without us in between.
 */
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { until } from "../support/processes.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { HOUSE_TOOLS } from "./support/house.ts";
import { connectV1, type PeerClient } from "./support/official-clients.ts";
import { everything, filesystem, type ListeningServer, listeningEverything } from "./support/official-servers.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "zaguan-files-")));
let listening: ListeningServer;
let hub: SpawnedZaguan;
/** Through the hub, and beside it. */
let through: PeerClient;
let direct: { readonly everything: PeerClient; readonly remote: PeerClient; readonly files: PeerClient };

before(async () => {
  writeFileSync(join(folder, "note.txt"), "¡Hola, zaguán! 你好\n");
  listening = await listeningEverything();
  const mcpServers = {
    everything: everything(),
    remote: { url: listening.url, zaguan: { allowPrivate: true } },
    files: filesystem(folder),
  };
  hub = await spawnZaguan({ config: { mcpServers } });
  through = await connectV1(`${hub.url}/mcp`);
  // What a server offers depends on what it may ask back: the same as the hub declares on behalf of its clients.
  const asHub = {
    capabilities: { sampling: { tools: {} }, elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
  };
  direct = {
    everything: await connectV1(everything(), asHub),
    remote: await connectV1(listening.url, asHub),
    files: await connectV1(filesystem(folder), asHub),
  };
});

after(async () => {
  await Promise.all([through, ...Object.values(direct)].map((client) => client.close()));
  await hub.stop();
  await listening.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("the catalogue", () => {
  test("lists the house, then every server's tools as they define them; the second of a name gets a prefix", async () => {
    const own = await direct.everything.tools();
    const files = await direct.files.tools();
    const expected = [...own, ...own.map((tool) => ({ ...tool, name: `remote__${tool.name}` })), ...files];
    const listed = await through.toolsWhen(HOUSE_TOOLS.length + expected.length);
    assert.deepEqual(
      listed.slice(0, HOUSE_TOOLS.length).map(({ name }) => name),
      HOUSE_TOOLS,
    );
    assert.deepEqual(listed.slice(HOUSE_TOOLS.length), expected);
  });

  test("tells of the clash in the log", () => until("it is told", () => hub.stderr().includes("remote__echo")));

  test("takes the long name of every tool, renamed or not", async () => {
    for (const name of ["echo", "everything__echo", "remote__echo"]) {
      assert.deepEqual((await through.call(name, { message: name })).content, [
        { type: "text", text: `Echo: ${name}` },
      ]);
    }
  });
});

describe("server-everything", () => {
  const calls: readonly (readonly [string, object])[] = [
    ["echo", { message: 'ñ 你好 \u0007 \\ " 😀' }],
    ["get-sum", { a: 0.1, b: 0.2 }],
    ["get-structured-content", { location: "Chicago" }],
    ["get-tiny-image", {}],
    ["get-annotated-message", { messageType: "error", includeImage: true }],
    ["get-resource-links", { count: 3 }],
  ];

  for (const [name, args] of calls) {
    test(`${name} ${JSON.stringify(args)} arrives unchanged over stdio`, async () => {
      assert.deepEqual(await through.callRaw(name, args), await direct.everything.callRaw(name, args));
    });

    test(`${name} ${JSON.stringify(args)} arrives unchanged over HTTP`, async () => {
      assert.deepEqual(await through.callRaw(`remote__${name}`, args), await direct.remote.callRaw(name, args));
    });
  }

  for (const name of ["trigger-long-running-operation", "remote__trigger-long-running-operation"]) {
    test(`${name} tells its progress`, async () => {
      const seen: unknown[] = [];
      await through.call(name, { duration: 0.3, steps: 3 }, { onprogress: (progress) => seen.push(progress) });
      assert.deepEqual(
        seen,
        [1, 2, 3].map((progress) => ({ progress, total: 3 })),
      );
    });
  }

  test("many calls at once each get their own answer, over both", async () => {
    const messages = Array.from({ length: 100 }, (_, index) => `${index}`);
    const answers = await Promise.all(
      messages.map((message, index) => through.call(index % 2 ? "echo" : "remote__echo", { message })),
    );
    assert.deepEqual(
      answers.map(({ content }) => content[0]?.text),
      messages.map((message) => `Echo: ${message}`),
    );
  });
});

describe("server-filesystem", () => {
  test("read_text_file gives the file", async () => {
    const args = { path: join(folder, "note.txt") };
    const result = await through.callRaw("read_text_file", args);
    assert.deepEqual(result, await direct.files.callRaw("read_text_file", args));
    assert.match(JSON.stringify(result), /¡Hola, zaguán! 你好/);
  });

  test("what it writes is there", async () => {
    const path = join(folder, "new.txt");
    assert.notEqual((await through.call("write_file", { path, content: "nuevo" })).isError, true);
    const listed = await through.callRaw("list_directory", { path: folder });
    assert.deepEqual(listed, await direct.files.callRaw("list_directory", { path: folder }));
    assert.match(JSON.stringify(listed), /new\.txt/);
  });

  test("what it refuses is refused in its own words", async () => {
    const args = { path: join(folder, "..", "elsewhere.txt") };
    const result = await through.callRaw("read_text_file", args);
    assert.equal((result as { isError?: boolean }).isError, true);
    assert.deepEqual(result, await direct.files.callRaw("read_text_file", args));
  });
});

// Last in this file: the clients that stand beside the hub do not survive it.
describe("server-everything over HTTP, started anew", () => {
  test("is told of as unavailable while it is gone", async () => {
    await listening.close();
    await assert.rejects(through.call("remote__echo", { message: "anybody?" }), {
      code: -32004,
      message: /'remote' is unavailable/,
      data: { code: "SOURCE_UNAVAILABLE", delivery: "not_sent" },
    });
  });

  test("has forgotten our session, says 400 instead of 404, and is understood", async () => {
    listening = await listeningEverything(listening.port);
    const { content } = await through.call("remote__echo", { message: "again" });
    assert.deepEqual(content, [{ type: "text", text: "Echo: again" }]);
  });
});
