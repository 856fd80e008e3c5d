/** A store with something in every table, odd texts included. */
import { randomUUID } from "node:crypto";
import type { Store } from "../../src/store/store.ts";
import { findTool, newAgent, newServer, serverWith, tool, tools } from "../contract/registry-fixtures.ts";

const ODD = "salón 客厅 🏠 \u0000 \u{F8E0} e\u0301 ' \" \\ {}";

export async function fillStore(store: Store): Promise<void> {
  const { registry, keys, documents, apis, sessions } = store;
  const many = Array.from({ length: 230 }, (_, index) => `tool ${index}`);
  const serverId = await serverWith(registry, "house", ...tools(...many), tool(ODD, { quarantine: ODD }));
  await registry.servers.create(newServer("odd", { baseUrl: "https://example.org", sealed: ODD, args: [ODD] }));
  await registry.servers.log(serverId, {
    startedUtc: "2026-01-02T03:04:05.678Z",
    ms: 1.5,
    ok: true,
    tools: 1,
    steps: [],
  });
  const { id: agentId } = await registry.agents.create(newAgent("ana", { description: ODD }));
  const { id: toolId } = await findTool(registry, serverId, "tool 7");
  await registry.bindings.create({ agentId, toolId, enabled: true, config: { allowedArguments: [ODD] } });
  await keys.create({ name: "phone", hash: "a", hint: "zgn_", allow: ["x"], agentId });
  await keys.create({ name: "gone", hash: "b", hint: "zgn_", admin: true });
  await keys.revoke("gone");
  for (const key of ["a", "b", "B", ODD]) await documents.put("house", key, { [ODD]: [ODD, 1.5, null] });
  const api = { id: randomUUID(), name: "weather", kind: "tool", baseUrl: "https://api.example.org" } as const;
  const write = { api: { ...api, enabled: true, allowPrivate: false, described: ODD }, tools: [] };
  await apis.save([{ ...write, tools: [{ code: "clima", enabled: true, described: ODD }] }]);
  const times = { createdUtc: "2029-01-01T00:00:00.000Z", expiresUtc: "2030-01-01T00:00:00.000Z" };
  await sessions.put({ id: "s", principalId: "key:1", protocolVersion: "2025-11-25", ...times }, times.createdUtc);
}
