import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { type OpenRegistry, openRegistry } from "../../test/support/registry-ports.ts";
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

const names = async () => (await keys.list()).map(({ name }) => name);

describe("keys", () => {
  it("are made with the rights that were said, and kept as their hash", async () => {
    const { key, record } = await keys.create({ name: "phone", allow: ["house__*"] });
    assert.deepEqual([record.name, record.allow, record.admin], ["phone", ["house__*"], undefined]);
    assert.equal((await open.store.keys.findByHash(hashKey(key)))?.id, record.id);
    assert.ok(!JSON.stringify(record).includes(key));
    const admin = await keys.create({ name: "desk", admin: true });
    assert.deepEqual([admin.record.admin, admin.record.allow], [true, undefined]);
    const plain = await keys.create({ name: "tv", admin: false });
    assert.deepEqual([plain.record.admin, plain.record.allow], [undefined, undefined]);
  });

  it("have names of their own, which are free again once they are revoked", async () => {
    await keys.create({ name: "phone" });
    const refused = keys.create({ name: "phone", admin: true });
    await assert.rejects(refused, { code: "NAME_TAKEN", details: { params: { kind: "key", name: "phone" } } });
    await keys.revoke("phone");
    await keys.create({ name: "phone" });
    assert.deepEqual(await names(), ["phone"]);
  });

  it("are listed while they are good, agents' included", async () => {
    await keys.create({ name: "phone" });
    await keys.create({ name: "tv" });
    const agent = await open.agents.create({ name: "ana", autonomy: "Auto" });
    await open.agents.mintKey("ana");
    await keys.revoke("phone");
    const listed = await keys.list();
    assert.deepEqual(
      listed.map(({ agentId }) => agentId),
      [undefined, agent.id],
    );
    assert.equal(listed[0]?.name, "tv");
  });

  it("are revoked by id or by name; the id counts first", async () => {
    const { record: phone } = await keys.create({ name: "phone" });
    const { record: liar } = await keys.create({ name: phone.id });
    await keys.revoke(phone.id);
    assert.deepEqual(
      (await keys.list()).map(({ id }) => id),
      [liar.id],
    );
    assert.deepEqual([keys.isRevoked(phone.id), keys.isRevoked(liar.id), forgotten], [true, false, 1]);
    await keys.revoke(phone.id);
    assert.deepEqual(await names(), []);
  });

  it("are not revoked twice, nor those that never were", async () => {
    await keys.create({ name: "phone" });
    const both = await Promise.allSettled([keys.revoke("phone"), keys.revoke("phone")]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    for (const name of ["phone", "nobody", "", "x".repeat(500)]) {
      await assert.rejects(keys.revoke(name), {
        code: "NO_SUCH",
        details: { params: { kind: "key", name: name.slice(0, 64) } },
      });
    }
  });

  it("of an agent end as the agents' own word ends them", async () => {
    const agent = await open.agents.create({ name: "ana", autonomy: "Auto" });
    await open.agents.mintKey("ana");
    const [record] = await keys.list();
    assert.ok(record);
    const connected = await open.agents.principal(agent.id, record.id);
    await keys.revoke(record.id);
    assert.deepEqual(await keys.list(), []);
    assert.equal(connected?.links?.find("lamps", "on"), undefined);
    assert.equal(await open.agents.revokeKey("ana"), false);
  });
});
