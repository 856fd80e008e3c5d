/** What the suite does not look at in our fixture, and what runs through the hub rely on. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../support/processes.ts";
import type { Json, Message } from "./client.ts";

const SERVER = fileURLToPath(new URL("./fixture-server.mjs", import.meta.url));
const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** The fixture on stdio, with everything that it has said. */
class Fixture {
  readonly said: Message[] = [];
  readonly #child: ChildProcess;
  #ids = 0;

  constructor(form: string) {
    this.#child = spawn(process.execPath, [SERVER, form], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    lines.on("line", (line) => this.said.push(JSON.parse(line) as Message));
  }

  send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  begin(method: string, params: Json = {}): number {
    const id = ++this.#ids;
    this.send({ id, method, params });
    return id;
  }

  async request(method: string, params: Json = {}): Promise<Message> {
    return this.answerTo(this.begin(method, params));
  }

  async answerTo(id: number): Promise<Message> {
    return this.heard((message) => message.id === id && message.method === undefined);
  }

  async heard(isIt: (message: Message) => boolean): Promise<Message> {
    await until("the fixture says what is waited for", () => this.said.some(isIt));
    return this.said.find(isIt) as Message;
  }

  notifications(method: string): Message[] {
    return this.said.filter((message) => message.method === method);
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    await once(this.#child, "exit");
  }
}

describe("the 2026 form", () => {
  const fixture = new Fixture("2026");
  after(() => fixture.close());

  const ask = (method: string, params: Json = {}, meta: Json = {}): Promise<Message> =>
    fixture.request(method, { ...params, _meta: { ...ENVELOPE, ...meta } });

  it("tells a client of an older revision what it speaks", async () => {
    const { error } = await fixture.request("initialize", { protocolVersion: "2025-11-25", capabilities: {} });
    const data = { supported: ["2026-07-28"], requested: "2025-11-25" };
    assert.deepEqual(error, { code: -32022, message: "Unsupported protocol version", data });
  });

  it("refuses requests without an envelope", async () => {
    assert.equal((await fixture.request("tools/list")).error?.code, -32602);
  });

  it("logs from the level that the request wants, and not otherwise", async () => {
    await ask("tools/call", { name: "test_logging_tool" });
    assert.equal(fixture.notifications("notifications/message").length, 0);
    await ask("tools/call", { name: "test_logging_tool" }, { "io.modelcontextprotocol/logLevel": "warning" });
    const levels = fixture.notifications("notifications/message").map(({ params }) => params?.["level"]);
    assert.deepEqual(levels, ["warning", "error"]);
  });

  it("does not answer what was cancelled", async () => {
    const id = fixture.begin("tools/call", { name: "test_reconnection", _meta: ENVELOPE });
    fixture.send({ method: "notifications/cancelled", params: { requestId: id } });
    // The cancelled call ends before this one, which takes as long and began later.
    await ask("tools/call", { name: "test_reconnection" });
    assert.ok(!fixture.said.some((message) => message.id === id));
  });

  it("tells of changes until listening is cancelled", async () => {
    const uri = "test://watched-resource";
    const wanted = { toolsListChanged: true, resourceSubscriptions: [uri, "test://nothing"] };
    const id = fixture.begin("subscriptions/listen", { notifications: wanted, _meta: ENVELOPE });
    const _meta = { "io.modelcontextprotocol/subscriptionId": id };
    const { params } = await fixture.heard(({ method }) => method === "notifications/subscriptions/acknowledged");
    assert.deepEqual(params, { notifications: { ...wanted, resourceSubscriptions: [uri] }, _meta });
    await ask("tools/call", { name: "test_trigger_tool_change" });
    await ask("tools/call", { name: "test_trigger_prompt_change" });
    const updated = await fixture.heard(({ method }) => method === "notifications/resources/updated");
    assert.deepEqual(updated.params, { uri, _meta });
    assert.deepEqual(fixture.notifications("notifications/tools/list_changed")[0]?.params, { _meta });
    assert.equal(fixture.notifications("notifications/prompts/list_changed").length, 0);
    fixture.send({ method: "notifications/cancelled", params: { requestId: id } });
    await ask("tools/call", { name: "test_trigger_tool_change" });
    assert.equal(fixture.notifications("notifications/tools/list_changed").length, 1);
  });

  it("takes its state for one request only", async () => {
    const meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
    const call = (name: string, more: Json = {}): Promise<Message> => ask("tools/call", { name, ...more }, meta);
    const { requestState } = (await call("test_input_required_result_request_state")).result ?? {};
    const again = { inputResponses: { confirm: { action: "accept", content: { ok: true } } }, requestState };
    assert.equal((await call("test_input_required_result_tampered_state", again)).error?.code, -32602);
    assert.equal((await call("test_input_required_result_request_state", again)).result?.["resultType"], "complete");
  });
});

describe("the 2025 form", () => {
  const fixture = new Fixture("2025");
  after(() => fixture.close());
  const initialize = (capabilities: Json): Promise<Message> => fixture.request("initialize", { capabilities });
  const questions = (): Message[] => fixture.said.filter(({ id, method }) => method !== undefined && id !== undefined);

  it("fails in the tool's own words when the client cannot be asked", async () => {
    await initialize({});
    const { result } = await fixture.request("tools/call", { name: "test_missing_capability" });
    assert.equal(result?.["isError"], true);
    assert.match(JSON.stringify(result?.["content"]), /did not declare the capability \\"sampling\\"/);
  });

  it("asks several questions at the same time", async () => {
    await initialize({ elicitation: {}, sampling: {}, roots: {} });
    const id = fixture.begin("tools/call", { name: "test_input_required_result_multiple_inputs" });
    await until("three questions were asked", () => questions().length === 3);
    const methods = ["elicitation/create", "sampling/createMessage", "roots/list"];
    assert.deepEqual(
      questions().map(({ method }) => method),
      methods,
    );
    const [name, greeting, roots] = questions();
    fixture.send({ id: roots?.id, result: { roots: [{ uri: "file:///r" }] } });
    fixture.send({ id: greeting?.id, result: { content: { type: "text", text: "Good day" } } });
    fixture.send({ id: name?.id, result: { action: "accept", content: { name: "Ana" } } });
    const { result } = await fixture.answerTo(id);
    assert.deepEqual(result?.["content"], [{ type: "text", text: "Good day Ana, your roots are file:///r" }]);
  });

  it("goes on without the answers that the client refuses, if it can", async () => {
    const id = fixture.begin("tools/call", { name: "test_input_required_result_capabilities" });
    await until("two more questions were asked", () => questions().length === 5);
    const [name, capital] = questions().slice(3);
    fixture.send({ id: name?.id, error: { code: -32601, message: "cannot" } });
    fixture.send({ id: capital?.id, result: { content: { type: "text", text: "Paris" } } });
    const { result } = await fixture.answerTo(id);
    assert.deepEqual(result?.["content"], [{ type: "text", text: "Answered: capital_question" }]);
  });

  it("takes its question back when the call is cancelled", async () => {
    const id = fixture.begin("prompts/get", { name: "test_input_required_result_prompt" });
    await until("another question was asked", () => questions().length === 6);
    fixture.send({ method: "notifications/cancelled", params: { requestId: id } });
    const { params } = await fixture.heard(({ method }) => method === "notifications/cancelled");
    assert.equal(params?.["requestId"], questions()[5]?.id);
  });
});
