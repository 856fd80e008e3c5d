/** `/keys` over a real socket, with a real store behind it. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type Answered, type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import { ADMIN, LIMITED, LOCAL, openRegistry, PLAIN } from "../../../test/support/registry-ports.ts";
import { PLACES } from "../../contract/generated.ts";
import type { Principal } from "../../core/call.ts";
import { Keys } from "../../registry/keys.ts";
import { hashKey } from "../../security/api-keys.ts";
import type { Store } from "../../store/store.ts";
import type { DoorContext } from "../door.ts";
import { keys } from "./index.ts";
import { keyRoutes } from "./routes.ts";

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

describe("keys over HTTP", () => {
  let store: Store;
  let doors: OpenDoors;
  let principal: Principal;
  let forgotten: number;

  beforeEach(async () => {
    principal = LOCAL;
    forgotten = 0;
    const open = await openRegistry();
    store = open.store;
    const forgetKeys = (): void => void forgotten++;
    const registry = {
      keys: new Keys({ keys: store.keys, agents: open.agents, forgetKeys }),
    } as DoorContext["registry"];
    doors = await openDoors([keys], { registry, authenticate: async () => principal });
  });
  afterEach(async () => {
    await doors.close();
    await store.close();
  });

  const send = (method: string, path: string, body?: unknown, headers = {}): Promise<Answered> =>
    doors.ask(path, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const listed = async () => JSON.parse((await send("GET", "/keys")).text) as Record<string, unknown>[];

  it("are at the places that are described, and no others", () => {
    const described = keyRoutes({ registry: {} } as DoorContext);
    assert.deepEqual(
      described.map(({ method, path }) => [method, path]),
      Object.values(PLACES.keys).map(([method, path]) => [method, path]),
    );
  });

  it("are made with 201, and shown this once", async () => {
    const { status, json, headers } = await send("POST", "/keys", { name: "phone", allow: ["house__*"] });
    assert.equal(status, 201);
    assert.deepEqual(Object.keys(json), ["id", "name", "hint", "key"]);
    assert.equal(headers["cache-control"], "no-store");
    const key = String(json["key"]);
    const record = await store.keys.findByHash(hashKey(key));
    assert.deepEqual([record?.id, record?.name, record?.allow], [json["id"], "phone", ["house__*"]]);
    const list = await send("GET", "/keys");
    assert.ok(!list.text.includes(key) && !list.text.includes(hashKey(key)));
  });

  it("are listed with all that may be known of them", async () => {
    await send("POST", "/keys", { name: "phone", allow: ["house__*"] });
    const { json } = await send("POST", "/keys", { name: "desk", admin: true });
    await send("POST", "/keys", { name: "tv", admin: false });
    await store.keys.touch(String(json["id"]), "2026-01-01T00:00:00.000Z");
    const [phone, desk, tv] = await listed();
    const { createdUtc, ...rest } = desk ?? {};
    assert.match(String(createdUtc), UTC);
    assert.deepEqual(rest, {
      id: json["id"],
      name: "desk",
      hint: json["hint"],
      admin: true,
      allow: null,
      agentId: null,
      lastUsedUtc: "2026-01-01T00:00:00.000Z",
    });
    assert.deepEqual([phone?.["admin"], phone?.["allow"], phone?.["lastUsedUtc"]], [false, ["house__*"], null]);
    assert.deepEqual([tv?.["admin"], tv?.["allow"]], [false, null]);
  });

  it("are revoked by id or by name, however that is written", async () => {
    const { json } = await send("POST", "/keys", { name: "phone" });
    await send("POST", "/keys", { name: "Ana's / 50% ключ" });
    assert.equal((await send("DELETE", `/keys/${json["id"]}`)).status, 204);
    const byName = await send("DELETE", `/keys/${encodeURIComponent("Ana's / 50% ключ")}`);
    assert.deepEqual([byName.status, byName.text], [204, ""]);
    assert.deepEqual(await listed(), []);
    assert.equal(forgotten, 2);
  });

  it("that are not there, or not any more, are answered 404", async () => {
    await send("POST", "/keys", { name: "phone" });
    await send("DELETE", "/keys/phone");
    for (const id of ["phone", "nobody", "%F0%9F%94%91"]) {
      const { status, json } = await send("DELETE", `/keys/${id}`);
      assert.deepEqual([status, json["code"]], [404, "NO_SUCH"], id);
    }
  });

  it("may not share a name", async () => {
    await send("POST", "/keys", { name: "phone" });
    const { status, json } = await send("POST", "/keys", { name: "phone" }, { "accept-language": "es" });
    assert.deepEqual([status, json["code"], json["detail"]], [409, "NAME_TAKEN", "Ya existe: clave 'phone'"]);
    assert.equal((await listed()).length, 1);
  });

  it("are refused with what is wrong, field by field", async () => {
    const wrong = [
      [undefined, ["name"]],
      [{}, ["name"]],
      [{ name: "" }, ["name"]],
      [{ name: "x".repeat(65) }, ["name"]],
      [{ name: "a\nb" }, ["name"]],
      [{ name: 7, admin: "yes" }, ["name", "admin"]],
      [{ name: "a", allow: [] }, ["allow"]],
      [{ name: "a", allow: "house__*" }, ["allow"]],
      [{ name: "a", allow: ["ok", ""] }, ["allow[1]"]],
      [{ name: "a", allow: null }, ["allow"]],
      [{ name: "a", allow: ["x"], admin: true }, ["allow"]],
      [{ name: "a", hash: "0" }, ["hash"]],
      [{ name: "a", agentId: "x" }, ["agentId"]],
    ] as const;
    for (const [body, fields] of wrong) {
      const { status, json, text } = await send("POST", "/keys", body);
      assert.equal(status, 400, text);
      const errors = json["errors"] as { field: string; message: string }[];
      assert.deepEqual(
        errors.map(({ field }) => field),
        fields,
        text,
      );
      for (const { message } of errors) assert.notEqual(message, "");
    }
    assert.equal((await send("POST", "/keys", "{")).status, 400);
    assert.equal((await send("POST", "/keys", "[]")).status, 400);
    assert.deepEqual(await listed(), []);
  });

  it("say what is wrong in the caller's language", async () => {
    const { json } = await send("POST", "/keys", { name: "a\tb" }, { "accept-language": "fr" });
    assert.match(String(json["detail"]), /name.*doit tenir sur une seule ligne/);
  });

  it("are nobody's business who is no administrator, whatever is asked", async () => {
    await send("POST", "/keys", { name: "phone" });
    const agent: Principal = { id: "agent:a", kind: "agent", name: "a", links: { find: () => ({}) } };
    for (const who of [PLAIN, LIMITED, agent]) {
      principal = who;
      for (const [method, path, body] of [
        ["GET", "/keys", undefined],
        ["POST", "/keys", { name: "mine", admin: true }],
        ["POST", "/keys", "{"],
        ["DELETE", "/keys/phone", undefined],
        ["DELETE", "/keys/nobody", undefined],
      ] as const) {
        const { status, json } = await send(method, path, body);
        assert.deepEqual([status, json["code"]], [403, "FORBIDDEN"], `${who.name} ${method} ${path}`);
      }
    }
    principal = ADMIN;
    assert.deepEqual(
      (await listed()).map(({ name }) => name),
      ["phone"],
    );
  });
});
