import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LIMITED, LOCAL } from "../../test/support/registry-ports.ts";
import type { Starter } from "../abilities/ability.ts";
import type { Principal } from "../core/call.ts";
import type { Hub } from "../core/hub.ts";
import { ZaguanError } from "../errors.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { KeyRecord } from "../store/store.ts";
import { callOrdered, checkOrdered, principalOf } from "./ordered-calls.ts";

const ORDER = { tool: "x", args: {}, principal: LOCAL };

function hub(result: unknown): Hub {
  return { call: async () => Payload.ofValue(result) } as unknown as Hub;
}

describe("a call that was ordered beforehand", () => {
  it("gives the texts of its answer", async () => {
    const content = [{ type: "text", text: "a" }, { type: "image" }, { type: "text", text: "b" }];
    assert.equal(await callOrdered(hub({ content }), ORDER), "a\nb");
    assert.equal(await callOrdered(hub({}), ORDER), "");
  });

  it("fails with the tool's own words", async () => {
    const failed = { content: [{ type: "text", text: "no light" }], isError: true };
    await assert.rejects(callOrdered(hub(failed), ORDER), { code: "SOURCE_ERROR", message: /no light/ });
  });

  it("is made as whoever ordered it", async () => {
    const callers: Principal[] = [];
    const noting = { call: async ({ principal }: { principal: Principal }) => callers.push(principal) };
    await callOrdered(noting as unknown as Hub, { ...ORDER, principal: LIMITED });
    assert.deepEqual(callers, [LIMITED]);
  });

  it("is judged by the hub where whoever orders it may not use everything", async () => {
    const judging = { check: async () => Promise.reject(new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } })) };
    await checkOrdered(judging, ORDER);
    await assert.rejects(checkOrdered(judging, { ...ORDER, principal: LIMITED }), { code: "UNKNOWN_TOOL" });
  });
});

describe("whoever ordered something earlier", () => {
  const key = { hash: "", hint: "", createdUtc: "" };
  const keys: readonly KeyRecord[] = [
    { ...key, id: "1", name: "plain", allow: ["a*"] },
    { ...key, id: "2", name: "revoked", revokedUtc: "2026-01-01" },
    { ...key, id: "3", name: "ana's", agentId: "ana" },
  ];
  const agent = (id: string): Principal => ({ id: `agent:${id}`, kind: "agent", name: id });
  const agents = {
    principal: async (id: string) => (id === "ana" ? agent(id) : undefined),
    actingAs: async (id: string, { allow }: Principal) => {
      if (id === "ana" && !allow) return agent(id);
      throw new ZaguanError("NO_SUCH", { params: { kind: "agent", name: id } });
    },
  };
  const endpoints = () => [{ name: "kitchen" }, { name: "hall", agent: "ana" }];
  const now = (id: string, credential?: string): Promise<Principal | undefined> =>
    principalOf({ id, credential } as Starter, { keys: { list: async () => keys }, agents, endpoints });

  it("has the rights of now", async () => {
    assert.equal((await now("local"))?.admin, true);
    assert.deepEqual((await now("key:1"))?.allow, ["a*"]);
    assert.equal((await now("agent:ana", "key:3"))?.id, "agent:ana");
    assert.equal((await now("agent:ana", "local"))?.id, "agent:ana");
    assert.equal((await now("xiaozhi:kitchen"))?.id, "xiaozhi:kitchen");
    assert.equal((await now("agent:ana", "xiaozhi:hall"))?.id, "agent:ana");
  });

  for (const [what, id, credential] of [
    ["whose key is revoked", "key:2"],
    ["whose key is not there", "key:4"],
    ["who acted as an agent with a key that is revoked", "agent:ana", "key:2"],
    ["who acted as an agent with a key that is limited now", "agent:ana", "key:1"],
    ["whose agent is deleted", "agent:berta", "local"],
    ["whose agent came without anything", "agent:ana"],
    ["whose endpoint is not dialled any more", "xiaozhi:gone"],
    ["whose endpoint stands for an agent now", "xiaozhi:hall"],
    ["of a kind that nobody knows", "token:1"],
  ] as const) {
    it(`is nobody any more ${what}`, async () => assert.equal(await now(id, credential), undefined));
  }

  it("is not taken for nobody because the store fails", async () => {
    const list = async () => Promise.reject(new ZaguanError("INTERNAL"));
    await assert.rejects(principalOf({ id: "key:1" }, { keys: { list }, agents, endpoints }), { code: "INTERNAL" });
  });
});
