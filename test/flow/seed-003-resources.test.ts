/**
 * What seed 003 does for tools, for resources and prompts: `POST /mcp/resources/list|read` and `/mcp/prompts/list|get`, with
 * `bridge_info` beside the result. Written from the documents alone.
 */
import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Message } from "../support/line-rpc.ts";
import type { Answered } from "../support/registry-client.ts";
import {
  askUntil,
  assertBridged,
  assertBridgeError,
  BridgeClient,
  type OpenHome,
  openHome,
  untilListed,
} from "../support/seed-003.ts";

const ECHO = fileURLToPath(new URL("../support/echo-servers/stdio.ts", import.meta.url));
const LAMP = "hass://entities/light.salon_lamp";

let house: OpenHome;
let client: BridgeClient;
before(async () => {
  const echo = { command: process.execPath, args: [ECHO, "echo", "2025-11-25"] };
  house = await openHome({ config: { mcpServers: { echo } } });
  await untilListed(house.http, "say");
  client = await BridgeClient.open(house.http);
});
after(() => house?.stop());

function ask(method: string, params: object = {}, headers: Record<string, string> = {}): Promise<Answered> {
  return client.post(`/mcp/${method}`, { jsonrpc: "2.0", id: "r-1", method, params }, headers);
}

describe("POST /mcp/resources/…", () => {
  it("lists resources, with bridge_info beside", async () => {
    const { result, bridge_info } = assertBridged(await ask("resources/list"), "r-1");
    assert.ok(Array.isArray(result.resources));
    assert.equal(typeof bridge_info, "object");
  });

  it("reads an entity of Home Assistant as it is now", async () => {
    house.home.setState("light.salon_lamp", "on");
    const read = async (): Promise<Message> => {
      return assertBridged(await ask("resources/read", { uri: LAMP }), "r-1");
    };
    const isOn = ({ result }: Message): boolean => /\bon\b/.test(result.contents[0].text);
    const { result, bridge_info } = await askUntil("the lamp is read as on", read, isOn);
    assert.equal(typeof bridge_info, "object");
    assert.equal(result.contents[0].uri, LAMP);
    assert.match(result.contents[0].text, /light\.salon_lamp/);
  });

  it("reads what another server holds, as it wrote it", async () => {
    const contents = [{ uri: "echo://echo/say", text: "hola", "x-own": [1] }];
    const answer = await ask("resources/read", { uri: "echo://echo/say", text: JSON.stringify({ contents }) });
    assert.deepEqual(assertBridged(answer, "r-1").result.contents, contents);
  });

  it("refuses what is nowhere", async () => {
    const { status, text, body } = await ask("resources/read", { uri: "nowhere://at-all" });
    assert.ok(status >= 400 && status < 500, text);
    assert.ok(body.error.code < 0 && !("result" in body), text);
  });
});

describe("POST /mcp/prompts/…", () => {
  it("lists prompts, with bridge_info beside", async () => {
    const { result, bridge_info } = assertBridged(await ask("prompts/list"), "r-1");
    const names = result.prompts.map(({ name }: Message) => name);
    for (const name of ["say", "fail", "heard"]) assert.ok(names.includes(name), names.join());
    assert.equal(typeof bridge_info, "object");
  });

  it("gets one", async () => {
    const messages = [{ role: "user", content: { type: "text", text: "¿Qué luces hay?" } }];
    const answer = await ask("prompts/get", { name: "say", arguments: { text: JSON.stringify({ messages }) } });
    const { result, bridge_info } = assertBridged(answer, "r-1");
    assert.deepEqual(result.messages, messages);
    assert.equal(typeof bridge_info, "object");
  });

  it("refuses one that nobody has", async () => {
    assertBridgeError(await ask("prompts/get", { name: "no-such-prompt" }), 400, -32602, "r-1");
  });
});

describe("both", () => {
  const METHODS = ["resources/list", "prompts/list"];

  it("echo X-Request-ID", async () => {
    for (const method of METHODS) {
      const answer = await ask(method, {}, { "x-request-id": "req-12345" });
      assert.equal(assertBridged(answer, "r-1").bridge_info.request_id, "req-12345");
      assert.equal(answer.headers.get("x-request-id"), "req-12345");
    }
  });

  it("need a session that was opened", async () => {
    const nobody = new BridgeClient(house.http, "never-opened");
    for (const method of [...METHODS, "resources/read", "prompts/get"]) {
      const body = { jsonrpc: "2.0", id: 5, method, params: { uri: LAMP, name: "say" } };
      const { error } = assertBridgeError(await nobody.post(`/mcp/${method}`, body), 404, -32001, 5);
      assert.equal(error.data.session_id, "never-opened");
      const { status, text, body: told } = await house.http.post(`/mcp/${method}`, body);
      assert.ok((status === 400 || status === 404) && told?.error?.code < 0 && !("result" in told), text);
    }
  });
});
