/** Subscriptions over the WebSocket: the first state, then differences, and frames that are arrays. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BEHIND_LAMP, type House, LAMP } from "../support/house.ts";
import { eventOf, type Message } from "../support/house-socket.ts";
import type { State } from "../support/rest.ts";

const EPOCH_SECONDS = /^\d{10}(?:\.\d+)?$/;

export function subscriptions(house: House): void {
  describe("subscriptions", () => {
    test("begin with every entity asked for, short keys and all", async () => {
      await house.switchLamp("off");
      await house.withSocket(async (socket) => {
        const id = socket.command("subscribe_entities", { entity_ids: [LAMP, BEHIND_LAMP] });
        const { a } = (await eventOf(socket, id)) as { a: Record<string, Record<string, unknown>> };
        assert.deepEqual(Object.keys(a).sort(), [BEHIND_LAMP, LAMP]);
        const lamp = a[LAMP] ?? {};
        assert.deepEqual(Object.keys(lamp).sort(), ["a", "c", "lc", "s"]);
        assert.deepEqual([lamp["s"], (lamp["a"] as Record<string, unknown>)["friendly_name"]], ["off", "Lampe Salon"]);
        assert.match(String(lamp["lc"]), EPOCH_SECONDS);
        // The result first, in a frame of its own as long as coalescing was not agreed on.
        assert.deepEqual(socket.frames[2], { id, type: "result", success: true, result: null });
      });
    });

    test("tell only the differences, and before the result of the call that made them", async () => {
      await house.switchLamp("off");
      await house.withSocket(async (socket) => {
        const subscription = socket.command("subscribe_entities", { entity_ids: [LAMP] });
        await eventOf(socket, subscription);
        const seen = socket.frames.length;
        const target = { entity_id: LAMP };
        const { id: call, result } = await socket.ask("call_service", { domain: "light", service: "turn_on", target });
        const [event = {}, answer = {}, ...others] = socket.frames.slice(seen) as Partial<Message>[];
        assert.deepEqual([event.id, answer.id, others], [subscription, call, []]);
        assert.equal(Object.keys(event).at(-1), "id");
        const { c } = event.event as { c: Record<string, { "+": Record<string, unknown> }> };
        const plus = c[LAMP]?.["+"] ?? {};
        assert.deepEqual([plus["s"], plus["a"]], ["on", { color_mode: "onoff" }]);
        assert.deepEqual(Object.keys(plus).sort(), ["a", "c", "lc", "s"]);
        const { context } = result as { context: { id: string } };
        // The context is its id alone if only that differs from before, else the fields that differ.
        const told = plus["c"] as string | { id: string };
        assert.equal(typeof told === "string" ? told : told.id, context.id);
      });
    });

    test("tell of a new entity, of attributes that are gone, and of one that is removed", async () => {
      await house.withSocket(async (socket) => {
        const id = socket.command("subscribe_entities", { entity_ids: ["sensor.posted"] });
        assert.deepEqual(await eventOf(socket, id), { a: {} });
        await house.rest.post("/api/states/sensor.posted", { state: "1", attributes: { kept: 1, gone: 2 } });
        const { a } = (await eventOf(socket, id, 1)) as { a: Record<string, { s: string; a: object }> };
        assert.deepEqual([a["sensor.posted"]?.s, a["sensor.posted"]?.a], ["1", { kept: 1, gone: 2 }]);
        await house.rest.post("/api/states/sensor.posted", { state: "1", attributes: { kept: 3 } });
        const { c } = (await eventOf(socket, id, 2)) as { c: Record<string, Record<string, Record<string, unknown>>> };
        const { "+": plus, "-": minus } = c["sensor.posted"] ?? {};
        assert.deepEqual(
          [Object.keys(plus ?? {}).sort(), plus?.["a"], minus],
          [["a", "c", "lu"], { kept: 3 }, { a: ["gone"] }],
        );
        await house.rest.delete("/api/states/sensor.posted");
        assert.deepEqual(await eventOf(socket, id, 3), { r: ["sensor.posted"] });
      });
    });

    test("of events give the whole state, before and after", async () => {
      await house.switchLamp("off");
      await house.withSocket(async (socket) => {
        const id = socket.command("subscribe_events", { event_type: "state_changed" });
        await socket.next((message) => message.id === id);
        await house.switchLamp("on");
        type Changed = { data: { entity_id: string; old_state: State; new_state: State }; origin: string };
        const isLamp = (message: Message): boolean => (message.event as Changed | undefined)?.data.entity_id === LAMP;
        const { event } = await socket.next(isLamp);
        const { data, origin } = event as Changed;
        assert.deepEqual([data.old_state.state, data.new_state.state, origin], ["off", "on", "LOCAL"]);
        assert.deepEqual(data.new_state, await house.rest.state(LAMP));
      });
    });

    test("end when asked to, once", async () => {
      await house.withSocket(async (socket) => {
        const { id: subscription } = await socket.ask("subscribe_entities", { entity_ids: [LAMP] });
        assert.equal((await socket.ask("unsubscribe_events", { subscription })).success, true);
        const { error } = await socket.ask("unsubscribe_events", { subscription });
        assert.deepEqual(error, { code: "not_found", message: "Subscription not found." });
      });
    });

    test("have no filters but a list of entities in this version", async () => {
      await house.withSocket(async (socket) => {
        const { error } = await socket.ask("subscribe_entities", { include: { domains: ["light"] } });
        assert.equal(error?.code, "invalid_format");
      });
    });
  });

  describe("coalescing", () => {
    test("puts what is ready together into one frame, an array", async () => {
      await house.withSocket(async (socket) => {
        await socket.ask("supported_features", { features: { coalesce_messages: 1 } });
        const id = socket.command("subscribe_entities", { entity_ids: [LAMP] });
        await eventOf(socket, id);
        const frame = socket.frames.at(-1) as readonly Message[];
        assert.ok(Array.isArray(frame), JSON.stringify(frame));
        assert.deepEqual(
          frame.map((message) => [message.id, message.type]),
          [
            [id, "result"],
            [id, "event"],
          ],
        );
      });
    });

    test("leaves a single message as it is", async () => {
      await house.withSocket(async (socket) => {
        await socket.ask("supported_features", { features: { coalesce_messages: 1 } });
        await socket.ask("ping");
        assert.deepEqual(socket.frames.at(-1), { id: 2, type: "pong" });
      });
    });
  });
}
