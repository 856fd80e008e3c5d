/** The WebSocket API: its welcome, its ids, its commands and its refusals. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type House, LAMP } from "../support/house.ts";
import { HouseSocket, type Message } from "../support/house-socket.ts";

export function commands(house: House): void {
  describe("WebSocket", () => {
    test("asks for the token and says its version", async () => {
      const socket = await HouseSocket.authenticated(house.home);
      assert.deepEqual(socket.frames, [
        { type: "auth_required", ha_version: "2024.3.3" },
        { type: "auth_ok", ha_version: "2024.3.3" },
      ]);
      socket.close();
    });

    test("refuses a wrong token and closes as if all were well", async () => {
      const socket = new HouseSocket(house.home);
      await socket.next(({ type }) => type === "auth_required");
      socket.send({ type: "auth", access_token: "wrong" });
      assert.equal(await socket.closed, 1000);
      assert.deepEqual(socket.frames[1], { type: "auth_invalid", message: "Invalid access token or password" });
    });

    test("wants ids that grow", async () => {
      await house.withSocket(async (socket) => {
        const error = (id: number): Promise<Message> => socket.next((message) => message.id === id && !message.success);
        assert.deepEqual(await socket.ask("ping"), { id: 1, type: "pong" });
        socket.send({ id: 0, type: "ping" });
        assert.deepEqual((await error(0)).error, {
          code: "invalid_format",
          message: "Message incorrectly formatted.",
        });
        socket.send({ id: 1, type: "ping" });
        const reused = await socket.next(({ error }) => error?.code === "id_reuse");
        assert.deepEqual([reused.id, reused.error?.message], [1, "Identifier values have to increase."]);
      });
    });

    test("refuses a command or a key that it does not know", async () => {
      await house.withSocket(async (socket) => {
        const unknown = { code: "unknown_command", message: "Unknown command." };
        assert.deepEqual((await socket.ask("nope")).error, unknown);
        const { error } = await socket.ask("get_states", { x: 1 });
        assert.deepEqual(error, { code: "invalid_format", message: "extra keys not allowed @ data['x']. Got 1" });
      });
    });

    test("lists services as an object by domain", async () => {
      await house.withSocket(async (socket) => {
        const { result } = await socket.ask("get_services");
        const { light } = result as { light: Record<string, object> };
        assert.deepEqual(Object.keys(light["turn_on"] ?? {}), ["name", "description", "fields", "target"]);
      });
    });

    test("says what is wrong with a service call", async () => {
      await house.withSocket(async (socket) => {
        const call = async (more: object) => (await socket.ask("call_service", { domain: "light", ...more })).error;
        assert.deepEqual(await call({ service: "nope" }), {
          code: "not_found",
          message: "Service light.nope not found.",
          translation_key: "service_not_found",
          translation_placeholders: { domain: "light", service: "nope" },
          translation_domain: "homeassistant",
        });
        const target = { entity_id: LAMP };
        const unfit = await call({ service: "turn_on", target, service_data: { brightness: "bright" } });
        assert.equal(unfit?.code, "invalid_format");
        const unasked = await call({ service: "turn_on", target, return_response: true });
        assert.equal(unasked?.code, "unknown_error");
      });
    });

    test("gives what a service has to say only if asked for it", async () => {
      await house.withSocket(async (socket) => {
        const target = { entity_id: "weather.demo_weather_south" };
        const call = { domain: "weather", service: "get_forecasts", service_data: { type: "daily" }, target };
        assert.equal((await socket.ask("call_service", call)).error?.code, "unknown_error");
        const { result } = await socket.ask("call_service", { ...call, return_response: true });
        const { response } = result as { response: Record<string, object> };
        assert.deepEqual(Object.keys(response), [target.entity_id]);
      });
    });

    test("closes at what is no JSON", async () => {
      const socket = await HouseSocket.authenticated(house.home);
      socket.sendText("not json");
      assert.equal(await socket.closed, 1000);
    });
  });
}
