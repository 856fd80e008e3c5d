import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { makeTool } from "../../test/support/make-call.ts";
import {
  ADMIN,
  LIMITED,
  LOCAL,
  type OpenRegistry,
  openRegistry,
  PLAIN,
  serverInput,
} from "../../test/support/registry-ports.ts";
import type { Principal } from "../core/call.ts";
import type { AgentRecord, ToolRecord } from "../store/registry.ts";
import { Agents } from "./agents.ts";

const GUEST = { name: "Guest", autonomy: "Supervised" } as const;

let open: OpenRegistry;
let agents: Agents;
let guest: AgentRecord;
let on: ToolRecord;

beforeEach(async () => {
  open = await openRegistry();
  agents = open.agents;
  await open.servers.create(serverInput("lamps"), PLAIN);
  [on] = (await open.servers.discover("lamps")) as [ToolRecord];
  guest = await agents.create(GUEST);
  open.announced = 0;
});

async function guestItself(): Promise<Principal> {
  const principal = await agents.principal(guest.id);
  assert.ok(principal);
  return principal;
}

function bindOn(enabled = true): Promise<{ readonly id: string }> {
  return agents.bind("guest", { toolId: on.id, enabled });
}

describe("an agent", () => {
  it("is found by its id and by its name, in whatever case", async () => {
    assert.deepEqual(await agents.find(guest.id), guest);
    assert.deepEqual(await agents.find("gUEST"), guest);
    await assert.rejects(agents.find("nobody"), { code: "NO_SUCH" });
  });

  it("has a name of its own", async () => {
    await assert.rejects(agents.create({ ...GUEST, name: "GUEST" }), { code: "NAME_TAKEN" });
    await agents.create({ ...GUEST, name: "Cook" });
    await assert.rejects(agents.change("cook", { name: "guest" }), { code: "NAME_TAKEN" });
  });

  it("is changed in what is said, and only in that", async () => {
    const changed = await agents.change("guest", { description: "Visits" });
    assert.deepEqual([changed.description, changed.name, changed.autonomy], ["Visits", "Guest", "Supervised"]);
  });

  it("takes its links and its key with it when it is removed", async () => {
    await bindOn();
    await agents.mintKey("guest");
    await agents.remove("guest");
    assert.deepEqual(await open.store.keys.list(), []);
    assert.equal(await agents.principal(guest.id), undefined);
    await assert.rejects(agents.remove("guest"), { code: "NO_SUCH" });
  });
});

describe("a link", () => {
  it("lets the agent use the tool, with what it fixes", async () => {
    const { links } = await guestItself();
    assert.equal(links?.find("lamps", "on"), undefined);
    const config = { fixedArguments: { room: "hall" } };
    await agents.bind("guest", { toolId: on.id, config, enabled: true });
    assert.deepEqual(links?.find("lamps", "on"), config);
    assert.equal(links?.find("lamps", "off"), undefined);
  });

  it("counts at once for sessions that are open, and clients are told", async () => {
    const { links } = await guestItself();
    const { id } = await bindOn();
    assert.ok(links?.find("lamps", "on"));
    await agents.rebind("guest", id, { enabled: false });
    assert.equal(links?.find("lamps", "on"), undefined);
    await agents.rebind("guest", id, { enabled: true });
    assert.ok(links?.find("lamps", "on"));
    await agents.unbind("guest", id);
    assert.equal(links?.find("lamps", "on"), undefined);
    assert.equal(open.announced, 4);
  });

  it("is taken away with the agent, under the feet of its open sessions", async () => {
    await bindOn();
    const { links } = await guestItself();
    await agents.remove("guest");
    assert.equal(links?.find("lamps", "on"), undefined);
  });

  it("follows its tool when the server is renamed", async () => {
    await bindOn();
    const { links } = await guestItself();
    await open.servers.change("lamps", { name: "lights" }, PLAIN);
    await agents.refresh();
    assert.ok(links?.find("lights", "on"));
    assert.equal(links?.find("lamps", "on"), undefined);
  });

  it("is among those that can come back while its tool may: a device takes its tools along, a server drops them", async () => {
    await bindOn();
    await open.servers.mirror("device-box", "device");
    await open.servers.keep("device-box", [makeTool("beep")], "device");
    const [beep] = await open.store.registry.tools.list({ serverId: (await open.servers.find("device-box")).id });
    await agents.bind("guest", { toolId: beep?.id ?? "", enabled: true });
    const { links } = await guestItself();
    const linked = (): unknown => Array.from(links?.all?.() ?? [], ({ source, tool }) => `${source} ${tool.name}`);
    assert.deepEqual(linked(), ["lamps on", "device-box beep"]);
    await open.servers.keep("device-box", [], "device");
    await open.servers.keep("lamps", [], "registered");
    await agents.refresh();
    assert.deepEqual(linked(), ["device-box beep"]);
  });

  it("is told not to have been read again where the store is away", async () => {
    await bindOn();
    const { registry: tables, keys } = open.store;
    const store = { isAway: false };
    const listOf = async (agentId: string) => {
      if (store.isAway) throw new Error("away");
      return await tables.bindings.listOf(agentId);
    };
    const failing = { ...tables, bindings: Object.create(tables.bindings, { listOf: { value: listOf } }) };
    const others = new Agents({ tables: failing, shown: failing, keys, announce: () => {}, forgetKeys: () => {} });
    const acting = await others.principal(guest.id);
    store.isAway = true;
    await assert.rejects(others.refresh(), /away/);
    assert.ok(acting?.links?.find("lamps", "on"), "what was known before stays");
    store.isAway = false;
    await others.refresh();
  });

  it("may be off from the start", async () => {
    await bindOn(false);
    assert.equal((await guestItself()).links?.find("lamps", "on"), undefined);
    assert.equal((await agents.bindings("guest")).length, 1);
  });

  it("is made once for each tool, and only for tools that there are", async () => {
    await bindOn();
    await assert.rejects(bindOn(), { code: "NAME_TAKEN" });
    const nothing = agents.bind("guest", { toolId: "nothing", enabled: true });
    await assert.rejects(nothing, { code: "NO_SUCH", details: { params: { kind: "tool", name: "nothing" } } });
  });

  it("of one agent is not another's to change or take away", async () => {
    const { id } = await bindOn();
    await agents.create({ ...GUEST, name: "Cook" });
    await assert.rejects(agents.rebind("cook", id, { enabled: false }), { code: "NO_SUCH" });
    await assert.rejects(agents.unbind("cook", id), { code: "NO_SUCH" });
    assert.equal((await agents.bindings("guest")).length, 1);
  });
});

describe("an agent's key", () => {
  it("takes the place of the one before", async () => {
    const { key, hint } = await agents.mintKey("guest");
    assert.ok(key.startsWith(hint.slice(0, 8)));
    await agents.mintKey("guest");
    const active = (await open.store.keys.list({ agentId: guest.id })).filter((one) => one.revokedUtc === undefined);
    assert.equal(active.length, 1);
    assert.notEqual(active[0]?.hint, hint);
  });

  it("that is revoked lets nobody use anything, though its session is open", async () => {
    await bindOn();
    await agents.mintKey("guest");
    const [key] = await open.store.keys.list({ agentId: guest.id });
    const byKey = await agents.principal(guest.id, key?.id);
    assert.ok(byKey?.links?.find("lamps", "on"));
    await agents.revokeKey("guest");
    assert.equal(byKey?.links?.find("lamps", "on"), undefined);
    assert.ok((await guestItself()).links?.find("lamps", "on"), "the agent itself has its links");
  });

  it("can be revoked, once", async () => {
    await agents.mintKey("guest");
    assert.equal(await agents.revokeKey("guest"), true);
    assert.equal(await agents.revokeKey("guest"), false);
  });
});

describe("who calls as an agent", () => {
  it("is that agent, and may use what it is linked to", async () => {
    await bindOn();
    const { id, kind, name, links } = await guestItself();
    assert.deepEqual([id, kind, name], [`agent:${guest.id}`, "agent", "Guest"]);
    assert.deepEqual(links?.find("lamps", "on"), {});
    assert.equal(await agents.principal("nobody"), undefined);
  });

  it("has its links from the first moment, even if two come at once and the store is slow", async () => {
    await bindOn();
    const { registry: tables, keys } = open.store;
    const slow = Promise.withResolvers<void>();
    const bindings = Object.create(tables.bindings, {
      listOf: {
        value: async (agentId: string) => {
          await slow.promise;
          return tables.bindings.listOf(agentId);
        },
      },
    });
    const slowly = { ...tables, bindings };
    const others = new Agents({ tables: slowly, shown: slowly, keys, announce: () => {}, forgetKeys: () => {} });
    const both = [others.principal(guest.id), others.principal(guest.id)];
    const first = Promise.race(both).then(() => "came");
    assert.equal(await Promise.race([first, open.clock.advance(0).then(() => "waits")]), "waits");
    slow.resolve();
    for (const one of await Promise.all(both)) assert.ok(one?.links?.find("lamps", "on"));
  });

  it("may be whoever may do everything, or the agent itself", async () => {
    for (const principal of [LOCAL, ADMIN, PLAIN, await guestItself()]) {
      assert.equal((await agents.actingAs("guest", principal)).id, `agent:${guest.id}`);
    }
  });

  it("uses up the share of whoever acts as it; by itself, its own", async () => {
    const accountAs = async (principal: Principal) => (await agents.actingAs("guest", principal)).account;
    const asKey = await Promise.all([LOCAL, PLAIN].map(accountAs));
    assert.deepEqual(asKey, [LOCAL.id, PLAIN.id]);
    assert.equal(await accountAs(await guestItself()), undefined);
  });

  it("may be no other: to those there is no such agent", async () => {
    const cook = await agents.create({ ...GUEST, name: "Cook" });
    const other = await agents.principal(cook.id);
    assert.ok(other);
    for (const principal of [LIMITED, other]) {
      await assert.rejects(agents.actingAs("guest", principal), { code: "NO_SUCH" });
    }
    await assert.rejects(agents.actingAs("nobody", ADMIN), { code: "NO_SUCH" });
  });
});
