/** The WebSocket: who speaks first, ids that rise, what is wrong with a message. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Told } from "./client.ts";
import type { Statements } from "./index.ts";

export const socketStatements: Statements = (client) => {
  test("it asks for a token at once, and names its version", async () => {
    const { version: ha_version, token } = client().home;
    const socket = await client().open();
    socket.send({ type: "auth", access_token: token });
    await socket.next((message) => message.type === "auth_ok");
    assert.deepEqual(socket.frames, [
      { type: "auth_required", ha_version },
      { type: "auth_ok", ha_version },
    ]);
  });

  test("a bad token is refused, and the socket closed as if all were well", async () => {
    const socket = await client().open();
    socket.send({ type: "auth", access_token: "nonsense" });
    assert.equal(await socket.closeCode(), 1000);
    assert.deepEqual(socket.frames.at(-1), { type: "auth_invalid", message: "Invalid access token or password" });
  });

  test("a command before the token is refused too, and no JSON at all closes", async () => {
    const [hasty, mad] = [await client().open(), await client().open()];
    hasty.send({ id: 1, type: "get_states" });
    mad.send("{");
    assert.deepEqual(await Promise.all([hasty.closeCode(), mad.closeCode()]), [1000, 1000]);
    const faults = [
      "extra keys not allowed @ data['id']. Got 1",
      "not a valid value for dictionary value @ data['type']. Got 'get_states'",
    ];
    const message = `Auth message incorrectly formatted: ${faults.join("\n")}`;
    assert.deepEqual(hasty.frames.at(-1), { type: "auth_invalid", message });
  });

  test("a ping is answered with a pong that is no result", async () => {
    const socket = await client().login();
    assert.deepEqual(await socket.ask({ type: "ping" }), { id: 1, type: "pong" });
  });

  test("ids rise; a reused one is refused", async () => {
    const socket = await client().login();
    socket.send({ id: 7, type: "ping" });
    socket.send({ id: 7, type: "ping" });
    const error = { code: "id_reuse", message: "Identifier values have to increase." };
    const told = await socket.next((message) => message.success === false);
    assert.deepEqual(told, { id: 7, type: "result", success: false, error });
  });

  test("an id that is none is badly formed", async () => {
    const error = { code: "invalid_format", message: "Message incorrectly formatted." };
    for (const id of [0, "a", undefined]) {
      const socket = await client().login();
      socket.send({ id, type: "ping" });
      const told = await socket.next((message) => message.type === "result");
      assert.deepEqual(told, { id: id ?? null, type: "result", success: false, error });
    }
  });

  test("an unknown command does not use up its id, a badly formed one does", async () => {
    const socket = await client().login();
    socket.send({ id: 3, type: "nope" });
    const unknown = await socket.next((message) => message.id === 3);
    assert.deepEqual(unknown.error, { code: "unknown_command", message: "Unknown command." });
    socket.send({ id: 3, type: "ping" });
    await socket.next((message) => message.type === "pong");
    socket.send({ id: 4, type: "call_service" });
    socket.send({ id: 4, type: "ping" });
    await socket.next((message) => message.error?.code === "id_reuse");
  });

  test("keys that are too many are refused", async () => {
    const socket = await client().login();
    const { code, message } = await socket.failure({ type: "get_states", x: 1 });
    assert.equal(code, "invalid_format");
    const newer = "extra keys not allowed. Got {'id': 1, 'type': 'get_states', 'x': 1}";
    assert.equal(message, client().modern ? newer : "extra keys not allowed @ data['x']. Got 1");
    const other = await socket.failure({ type: "subscribe_events", x: [true, null, "a"] });
    assert.equal(other.message, "extra keys not allowed @ data['x']. Got [True, None, 'a']");
  });

  test("every fault is told, in alphabetical order", async () => {
    const socket = await client().login();
    const { message } = await socket.failure({ type: "call_service", domain: 5, service: "x", service_data: [] });
    const domain = "expected str for dictionary value @ data['domain']. Got 5";
    assert.equal(message, `expected dict for dictionary value @ data['service_data']. Got []\n${domain}`);
  });

  test("several commands may come as one array", async () => {
    const socket = await client().login();
    socket.send([1, 2].map((id) => ({ id, type: "ping" })));
    await socket.next((message) => message.id === 2);
    assert.deepEqual(
      socket.messages.slice(2),
      [1, 2].map((id) => ({ id, type: "pong" })),
    );
  });

  test("it tells the same states as REST, and services as an object", async () => {
    const socket = await client().login();
    const states = await socket.result({ type: "get_states" });
    const lamp = states.find((state: Told) => state.entity_id === "light.salon_lamp");
    assert.deepEqual(lamp, await client().state("light.salon_lamp"));
    const services = await socket.result({ type: "get_services" });
    const listed = (await client().rest("GET", "/api/services")).json;
    assert.deepEqual(services.light, listed.find((one: Told) => one.domain === "light").services);
    const config = await socket.result({ type: "get_config" });
    assert.deepEqual(config.version, client().home.version);
  });
};
