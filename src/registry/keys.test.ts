import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { ADMIN, LIMITED, LOCAL, type OpenRegistry, openRegistry, PLAIN } from "../../test/support/registry-ports.ts";
import type { Principal } from "../core/call.ts";
import { hashKey } from "../security/api-keys.ts";
import { Keys } from "./keys.ts";

let open: OpenRegistry;
let keys: Keys;
let forgotten: number;

beforeEach(async () => {
  open = await openRegistry();
  forgotten = 0;
  const forgetKeys = (): void => void forgotten++;
  keys = new Keys({ keys: open.store.keys, agents: open.agents, forgetKeys });
});

const names = async () => (await keys.list(LOCAL)).map(({ name }) => name);

describe("keys", () => {
  it("are made with the rights that were said, and kept as their hash", async () => {
    const { key, record } = await keys.create({ name: "phone", allow: ["house__*"] }, ADMIN);
    assert.deepEqual([record.name, record.allow, record.admin], ["phone", ["house__*"], undefined]);
    assert.equal((await open.store.keys.findByHash(hashKey(key)))?.id, record.id);
    assert.ok(!JSON.stringify(record).includes(key));
    const admin = await keys.create({ name: "desk", admin: true }, LOCAL);
    assert.deepEqual([admin.record.admin, admin.record.allow], [true, undefined]);
    const plain = await keys.create({ name: "tv", admin: false }, LOCAL);
    assert.deepEqual([plain.record.admin, plain.record.allow], [undefined, undefined]);
  });

  it("have names of their own, which are free again once they are revoked", async () => {
    await keys.create({ name: "phone" }, LOCAL);
    const refused = keys.create({ name: "phone", admin: true }, LOCAL);
    await assert.rejects(refused, { code: "NAME_TAKEN", details: { params: { kind: "key", name: "phone" } } });
    await keys.revoke("phone", LOCAL);
    await keys.create({ name: "phone" }, LOCAL);
    assert.deepEqual(await names(), ["phone"]);
  });

  it("are listed while they are good, agents' included", async () => {
    await keys.create({ name: "phone" }, LOCAL);
    await keys.create({ name: "tv" }, LOCAL);
    const agent = await open.agents.create({ name: "ana", autonomy: "Auto" }, LOCAL);
    await open.agents.mintKey("ana", LOCAL);
    await keys.revoke("phone", LOCAL);
    const listed = await keys.list(ADMIN);
    assert.deepEqual(
      listed.map(({ agentId }) => agentId),
      [undefined, agent.id],
    );
    assert.equal(listed[0]?.name, "tv");
  });

  it("are revoked by id or by name; the id counts first", async () => {
    const { record: phone } = await keys.create({ name: "phone" }, LOCAL);
    const { record: liar } = await keys.create({ name: phone.id }, LOCAL);
    await keys.revoke(phone.id, LOCAL);
    assert.deepEqual(
      (await keys.list(LOCAL)).map(({ id }) => id),
      [liar.id],
    );
    assert.deepEqual([keys.isRevoked(phone.id), keys.isRevoked(liar.id), forgotten], [true, false, 1]);
    await keys.revoke(phone.id, LOCAL);
    assert.deepEqual(await names(), []);
  });

  it("are not revoked twice, nor those that never were", async () => {
    await keys.create({ name: "phone" }, LOCAL);
    const both = await Promise.allSettled([keys.revoke("phone", LOCAL), keys.revoke("phone", LOCAL)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    for (const name of ["phone", "nobody", "", "x".repeat(500)]) {
      await assert.rejects(keys.revoke(name, LOCAL), {
        code: "NO_SUCH",
        details: { params: { kind: "key", name: name.slice(0, 64) } },
      });
    }
  });

  it("of an agent end as the agents' own word ends them", async () => {
    const agent = await open.agents.create({ name: "ana", autonomy: "Auto" }, LOCAL);
    await open.agents.mintKey("ana", LOCAL);
    const [record] = await keys.list(LOCAL);
    assert.ok(record);
    const connected = await open.agents.principal(agent.id, record.id);
    await keys.revoke(record.id, LOCAL);
    assert.deepEqual(await keys.list(LOCAL), []);
    assert.equal(connected?.links?.find("lamps", "on"), undefined);
    assert.equal(await open.agents.revokeKey("ana", LOCAL), false);
  });

  it("are administrators' business alone", async () => {
    await keys.create({ name: "phone" }, LOCAL);
    const agent = await open.agents.create({ name: "ana", autonomy: "Auto" }, LOCAL);
    const ana = (await open.agents.principal(agent.id)) as Principal;
    for (const who of [PLAIN, LIMITED, ana]) {
      for (const refused of [
        () => keys.list(who),
        () => keys.create({ name: "mine", admin: true }, who),
        () => keys.revoke("phone", who),
        () => keys.revoke("nobody", who),
      ])
        await assert.rejects(refused, { code: "FORBIDDEN" }, who.name);
    }
    assert.deepEqual(await names(), ["phone"]);
  });
});
