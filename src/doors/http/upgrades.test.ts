import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openDoors } from "../../../test/support/open-doors.ts";
import { refusal } from "../../../test/support/socket-client.ts";
import { ZaguanError } from "../../errors.ts";
import type { Door, Upgrade } from "../door.ts";
import { upgradesOf } from "./upgrades.ts";

const door = (name: string, accept: Upgrade["accept"]): Door => ({
  name,
  routes: [],
  upgrades: [{ path: "/socket", needs: "call", accept }],
});

describe("upgrades", () => {
  it("on one path belong to one door", () => {
    const doors = ["one", "two"].map((name) => door(name, async () => {}));
    assert.throws(() => upgradesOf(doors), /two doors claim upgrades on \/socket/);
  });

  it("get the connection with who calls, in which language, and how large a message may be", async () => {
    const seen: unknown[] = [];
    const take = door("take", async ({ principal, language, bodyBytes, request, socket }) => {
      seen.push(principal.id, language, bodyBytes, request.url);
      socket.destroy();
    });
    const doors = await openDoors([take], { settings: { bodyBytes: 1234 } });
    const headers = { "x-api-key": "ann", "accept-language": "fr" };
    await assert.rejects(refusal(`${doors.url}/socket?a=b`, headers));
    assert.deepEqual(seen, ["key:ann", "fr", 1234, "/socket?a=b"]);
    await doors.close();
  });

  it("may have a placeholder in their path, and get what stands there", async () => {
    const seen: unknown[] = [];
    const accept: Upgrade["accept"] = async ({ names, socket }) => {
      seen.push({ ...names });
      socket.destroy();
    };
    const paths = ["/socket", "/rooms/{room}/socket"];
    const doors = await openDoors([
      { name: "rooms", routes: [], upgrades: paths.map((path) => ({ path, needs: "call", accept })) },
    ]);
    for (const path of ["/socket", "/rooms/the%20hall/socket"]) await assert.rejects(refusal(doors.url + path));
    assert.deepEqual(seen, [{}, { room: "the hall" }]);
    for (const path of ["/rooms//socket", "/rooms/%/socket", "/rooms/a/b/socket", "/rooms/a/socket/"]) {
      assert.equal((await refusal(doors.url + path)).status, 404, path);
    }
    await doors.close();
  });

  it("that a door refuses are answered with its failure, in the caller's language", async () => {
    const full = new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } });
    const doors = await openDoors([door("full", () => Promise.reject(full))]);
    const { status, text } = await refusal(`${doors.url}/socket`, { "accept-language": "es" });
    assert.equal(status, 400);
    assert.match(text, /Tool 'x' no encontrada/);
    await doors.close();
  });

  it("that fail unexpectedly are answered by a reference only", async () => {
    const doors = await openDoors([door("bad", () => Promise.reject(new TypeError("at /home/me/secret.ts")))]);
    const { status, text } = await refusal(`${doors.url}/socket`);
    assert.equal(status, 500);
    assert.match(text, /ref-1/);
    assert.doesNotMatch(text, /secret/);
    await doors.close();
  });
});
