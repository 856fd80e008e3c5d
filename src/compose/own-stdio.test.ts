import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { LineRpc, type Message } from "../../test/support/line-rpc.ts";
import { cleanEnvironment, zaguanCommand } from "../../test/support/spawn-zaguan.ts";
import { cancelled, envelope, SUBSCRIPTION_ID, stateless } from "../../test/support/stateless-message.ts";
import { ledgerIn, ledgerServer, readLedger } from "../../test/support/stub-servers.ts";

const LINE_BYTES = 2048;
const folder = mkdtempSync(join(tmpdir(), "own-stdio-"));
const configFile = join(folder, "zaguan.json");
const shortLines = join(folder, "short-lines.json");
const FIXTURE = fileURLToPath(new URL("../../test/conformance/fixture-server.mjs", import.meta.url));
const mcpServers = {
  ledger: ledgerServer(ledgerIn(folder)),
  fixture: { command: process.execPath, args: [FIXTURE, "2025"] },
};
writeFileSync(configFile, JSON.stringify({ mcpServers }));
writeFileSync(shortLines, JSON.stringify({ limits: { lineBytes: LINE_BYTES } }));
after(() => rmSync(folder, { recursive: true }));

const SWITCH = { name: "set_light_state", arguments: { name: "salon", on: true } };
const LISTEN = { notifications: { toolsListChanged: true } };
const PING = { jsonrpc: "2.0", id: "p", method: "ping" };
const ELICITATION = { name: "test_elicitation", arguments: { message: "who?" } };
const ACCEPTED = { action: "accept", content: { username: "ann", email: "a@b.c" } };

let client: LineRpc;
afterEach(() => client?.kill());

describe("a client on stdin that knows no handshake", () => {
  it("finds out what there is, and calls it", async () => {
    client = new LineRpc(command("stdio"), folder);
    const { result } = await client.ask(stateless(0, "server/discover"));
    assert.equal(result.supportedVersions[0], "2026-07-28");
    assert.equal((await client.ask(stateless(1, "tools/list"))).result.resultType, "complete");
    const called = await client.ask(stateless(2, "tools/call", SWITCH));
    assert.deepEqual([called.id, called.result.structuredContent], [2, { ok: true }]);
    const refused = await client.ask(stateless(3, "tools/list", { _meta: envelope({}, "2030-01-01") }));
    assert.equal(refused.error.code, -32022);
    assert.equal(await client.end(), 0);
  });

  it("listens until it cancels or has nothing more to say; then we end", async () => {
    client = new LineRpc(command("stdio"), folder);
    for (const id of ["first", "second"]) {
      client.send(stateless(id, "subscriptions/listen", LISTEN));
      const { method } = await client.first(id, ({ params }) => params?._meta?.[SUBSCRIPTION_ID] === id);
      assert.equal(method, "notifications/subscriptions/acknowledged");
    }
    client.send(cancelled("first"));
    assert.equal(await client.end(), 0);
    const answers = client.received.filter(({ result }) => result !== undefined);
    const meta = { [SUBSCRIPTION_ID]: "second" };
    assert.deepEqual(answers, [{ jsonrpc: "2.0", id: "second", result: { resultType: "complete", _meta: meta } }]);
  });

  it("cancels a call, of which nothing more is said, and for which nobody waits", async () => {
    client = new LineRpc(command("stdio"), folder);
    client.send(stateless(1, "tools/call", { name: "sleep", arguments: { tag: "cancelled", ms: 3_600_000 } }));
    while (!wasRun("cancelled")) await client.ask(PING);
    client.send(cancelled(1));
    assert.equal(await client.end(), 0);
    assert.deepEqual([...new Set(client.received.map(({ id }) => id))], ["p"]);
  });

  it("may greet all the same, and speak both ways", async () => {
    client = new LineRpc(command("stdio"), folder);
    assert.ok((await client.ask(initialize("2025-06-18"))).result.capabilities);
    client.send(stateless(2, "tools/call", SWITCH));
    client.send(PING);
    assert.equal((await client.first("an answer", ({ id }) => id === 2)).result.resultType, "complete");
    assert.deepEqual((await client.first("another", ({ id }) => id === "p")).result, {});
    assert.equal(await client.end(), 0);
  });
});

describe("a batch on stdin", () => {
  it("is answered in one line, in the revision that has them", async () => {
    client = new LineRpc(command("stdio"), folder);
    await client.ask(initialize("2025-03-26"));
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    client.send(JSON.stringify([list, { jsonrpc: "2.0", method: "notifications/x" }, PING]));
    const answers = await client.first("a batch", Array.isArray);
    assert.deepEqual(
      answers.map(({ id }: Message) => id),
      [2, "p"],
    );
    assert.equal(await client.end(), 0);
  });

  it("is refused in any other", async () => {
    client = new LineRpc(command("stdio"), folder);
    await client.ask(initialize("2025-11-25"));
    client.send(JSON.stringify([PING]));
    assert.equal((await client.first("a refusal", ({ id }) => id === null)).error.code, -32600);
    assert.equal(await client.end(), 0);
  });
});

describe("one server on stdin", () => {
  it("is itself, and asks its client back", async () => {
    client = new LineRpc(command("stdio", "--server", "fixture"), folder);
    const { result } = await client.ask(initialize("2025-11-25", { elicitation: {} }));
    assert.equal(result.serverInfo.name, "zaguan-conformance-fixture");
    client.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: ELICITATION });
    const question = await client.first("a question", ({ method }) => method === "elicitation/create");
    assert.equal(question.params.message, "who?");
    client.send({ jsonrpc: "2.0", id: question.id, result: ACCEPTED });
    const called = await client.first("the result", ({ id }) => id === 2);
    assert.match(called.result.content[0].text, /accept.*ann/);
    assert.equal(await client.end(), 0);
  });

  it("is itself to a client that knows no handshake, which comes again with what it was asked", async () => {
    client = new LineRpc(command("stdio", "--server", "fixture"), folder);
    const { result } = await client.ask(stateless(1, "server/discover"));
    assert.ok(result.capabilities.completions);
    const _meta = envelope({ elicitation: {} });
    const asked = (await client.ask(stateless(2, "tools/call", { ...ELICITATION, _meta }))).result;
    assert.equal(asked.resultType, "input_required");
    const [key = ""] = Object.keys(asked.inputRequests);
    const again = { ...ELICITATION, _meta, requestState: asked.requestState, inputResponses: { [key]: ACCEPTED } };
    assert.match((await client.ask(stateless(3, "tools/call", again))).result.content[0].text, /accept.*ann/);
    assert.equal(await client.end(), 0);
  });

  it("says unasked what concerns its client, and ends although it is listened to", async () => {
    client = new LineRpc(command("stdio", "--server", "fixture"), folder);
    client.send(stateless("l", "subscriptions/listen", { notifications: { promptsListChanged: true } }));
    assert.equal((await client.next()).method, "notifications/subscriptions/acknowledged");
    client.send(stateless(2, "tools/call", { name: "test_trigger_prompt_change" }));
    const isChange = ({ method }: Message): boolean => method === "notifications/prompts/list_changed";
    const change = await client.first("the change", isChange);
    assert.equal(change.params._meta[SUBSCRIPTION_ID], "l");
    await client.first("the answer to the call", ({ id }) => id === 2);
    assert.equal(await client.end(), 0);
    assert.equal(client.received.at(-1).id, "l");
  });

  it("ends at once although nobody has been answered yet", async () => {
    client = new LineRpc(command("stdio", "--server", "fixture"), folder);
    client.send(stateless("l", "subscriptions/listen", { notifications: { promptsListChanged: true } }));
    assert.equal(await client.end(), 0);
    assert.equal(client.received.at(-1).id, "l");
  });
});

describe("a line that is longer than we take", () => {
  const long = "x".repeat(LINE_BYTES + 1);

  it("is answered in MCP, without an id, and the next is served", () => {
    const answers = talk(["stdio"], [long, '{"jsonrpc":"2.0","id":2,"method":"ping"}']);
    assert.deepEqual(
      answers.map(({ id, error }) => [id, error?.code, error?.message]),
      [
        [null, -32600, "Too large: a line is limited to 2048 bytes"],
        [2, undefined, undefined],
      ],
    );
  });

  it("is answered in the line protocol, in its turn and in the client's language", () => {
    const unknown = '{"type":"call","id":1,"tool":"nobody"}';
    const answers = talk(["stdio", "--line"], [unknown, long, unknown.replace("1", "2")]);
    assert.deepEqual(
      answers.slice(1).map(({ type, id }) => [type, id]),
      [
        ["error", 1],
        ["error", null],
        ["error", 2],
      ],
    );
    assert.equal(answers[2]?.error, "Demasiado grande: una línea se limita a 2048 bytes");
  });
});

// biome-ignore lint/suspicious/noExplicitAny: two protocols, and the assertions say what is expected of each.
function talk(words: readonly string[], lines: readonly string[]): any[] {
  const { command, args } = zaguanCommand(...words, "--config", shortLines, "--data", join(folder, "data"));
  const input = `${lines.join("\n")}\n`;
  const { stdout, stderr, status } = spawnSync(command, args, { cwd: folder, env: cleanEnvironment(), input });
  assert.equal(status, 0, stderr.toString());
  const said = stdout.toString().trimEnd().split("\n");
  return said.map((line) => JSON.parse(line));
}

function command(...words: readonly string[]): { command: string; args: string[] } {
  return zaguanCommand(...words, "--config", configFile, "--data", join(folder, "data"));
}

function initialize(protocolVersion: string, capabilities: object = {}): object {
  return { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion, capabilities } };
}

function wasRun(tag: string): boolean {
  return readLedger(ledgerIn(folder)).some((execution) => execution.tag === tag);
}
