/**
 * The examples of `examples/bridge/` run as their reader runs them, against a simulated Home Assistant; and seed 003's
 * "Configuration client", whose entry for LM Studio is a command line of curl.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Message } from "../support/line-rpc.ts";
import { replayWorkflow, type Workflow } from "../support/n8n-replay.ts";
import { pythonWithHttpx } from "../support/python-with-httpx.ts";
import { RegistryClient, textIn } from "../support/registry-client.ts";
import { complaintOf, runProgram } from "../support/run-program.ts";
import { assertBridgeError, BridgeClient, CALL, INITIALIZE, type OpenHome, openHome } from "../support/seed-003.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples/bridge/", import.meta.url));
const WRITTEN_ADDRESS = "http://127.0.0.1:3003";

/** "Configuration LM Studio", as printed. */
const LM_STUDIO = [
  "-X",
  "POST",
  "http://192.168.1.22:3003/mcp/tools/call",
  "-H",
  "Content-Type: application/json",
  "-H",
  "X-Session-ID: {{session_id}}",
  "-d",
  "{{request_body}}",
];

/** "Configuration n8n", as printed. */
const N8N = {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    "X-Session-ID": "{{$node.Initialize.json.result.session_id}}",
    "X-Priority": "HIGH",
  },
  body: {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "get_entities", arguments: { domain: "light" } },
  },
};

const python = await pythonWithHttpx();
const curlMissing = await complaintOf("curl", ["--version"]);
const skipCurl = curlMissing === undefined ? false : `no curl: ${curlMissing}`;

let house: OpenHome;
before(async () => {
  house = await openHome();
});
after(() => house?.stop());
/** The lamp follows a switch. */
beforeEach(() => {
  for (const entity of ["input_boolean.salon", "light.salon_lamp"]) house.home.setState(entity, "off");
});

function assertSwitchedOn(): void {
  assert.equal(house.home.state("light.salon_lamp")?.state, "on");
}

describe("client.py", { skip: "missing" in python ? python.missing : false }, () => {
  const run = (...words: readonly string[]): ReturnType<typeof runProgram> =>
    runProgram("python" in python ? python.python : "", ["-X", "utf8", `${EXAMPLES}client.py`, ...words]);

  it("lists, reads and switches", async () => {
    const { code, stdout, stderr } = await run(house.hub.url);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^\d+ tools\n/);
    assert.match(stdout, /light\.salon_lamp/);
    assert.match(stdout, /\nwaited [\d.]+ ms, ran [\d.]+ ms\n$/);
    assertSwitchedOn();
  });

  it("says in one line what was refused", async () => {
    const { code, stderr } = await run("http://127.0.0.1:1");
    assert.equal(code, 1);
    assert.match(stderr, /^[^\n]+\n$/);
  });
});

describe("curl.sh", { skip: skipCurl }, () => {
  it("opens, lists, reads, switches and ends", async () => {
    const { code, stdout, stderr } = await runProgram(`${EXAMPLES}curl.sh`, [house.hub.url]);
    assert.equal(code, 0, stdout + stderr);
    const lines = stdout.trim().split(/\n+/);
    const [opened, listed, read, switched] = lines.map((line): Message => JSON.parse(line));
    assert.match(opened.result.session_id, /./);
    assert.ok(listed.result.tools.some(({ name }: Message) => name === "get_entities"));
    assert.match(textIn(read.result), /light\.salon_lamp/);
    assert.match(switched.bridge_info.request_id, /^curl-\d+$/);
    assert.equal(switched.bridge_info.session_id, opened.result.session_id);
    assertSwitchedOn();
    const ended = new BridgeClient(new RegistryClient(house.hub.url), opened.result.session_id);
    assertBridgeError(await ended.call(CALL), 404, -32001);
  });

  it("ends where it is refused", async () => {
    const { code } = await runProgram(`${EXAMPLES}curl.sh`, [`${house.hub.url}/nowhere`]);
    assert.notEqual(code, 0);
  });
});

describe("n8n-workflow.json", () => {
  const workflow = JSON.parse(readFileSync(`${EXAMPLES}n8n-workflow.json`, "utf8")) as Workflow;

  it("calls with the node that the document prints", () => {
    const { parameters } = workflow.nodes.find(({ name }) => name === "Call") ?? assert.fail("no Call");
    const headers = parameters.headerParameters?.parameters.map(({ name, value }) => [name, value.replace(/^=/, "")]);
    assert.equal(parameters.method, N8N.method);
    assert.equal(parameters.url, `${WRITTEN_ADDRESS}/mcp/tools/call`);
    assert.deepEqual(Object.fromEntries(headers ?? []), N8N.headers);
    assert.deepEqual(JSON.parse(parameters.jsonBody ?? ""), N8N.body);
  });

  it("has what n8n asks of a node", () => {
    for (const { id, name, type, typeVersion, position } of workflow.nodes) {
      assert.match(id, /^[0-9a-f-]{36}$/);
      assert.match(type, /^n8n-nodes-base\./);
      assert.ok(name && typeVersion > 0 && position.length === 2, name);
    }
    assert.deepEqual(
      workflow.nodes.map(({ name }) => name),
      ["Manual Trigger", "Initialize", "Call"],
    );
  });

  it("runs from its trigger to its end", async () => {
    const answers = await replayWorkflow(workflow, WRITTEN_ADDRESS, house.hub.url);
    const { result, bridge_info } = answers.get("Call");
    assert.match(textIn(result), /light\.salon_lamp/);
    assert.equal(bridge_info.session_id, answers.get("Initialize").result.session_id);
  });
});

describe("Configuration LM Studio", { skip: skipCurl }, () => {
  it("the printed command line calls a tool", async () => {
    const { body } = await new RegistryClient(house.hub.url).post("/mcp/initialize", INITIALIZE);
    const fill = (word: string): string =>
      word
        .replace("http://192.168.1.22:3003", house.hub.url)
        .replace("{{session_id}}", body.result.session_id)
        .replace("{{request_body}}", JSON.stringify(CALL));
    const { code, stdout, stderr } = await runProgram("curl", ["--silent", ...LM_STUDIO.map(fill)]);
    assert.equal(code, 0, stderr);
    const { id, result, bridge_info } = JSON.parse(stdout);
    assert.equal(id, 3);
    assert.match(textIn(result), /light\.salon_lamp/);
    assert.equal(bridge_info.session_id, body.result.session_id);
  });
});
