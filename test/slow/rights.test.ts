/**
 * Every route of every door, and every operation of `/openapi.json`, at a real hub that asks for a key, with each kind of
 * caller: who has the right by the table gets in, all others are refused, and what was refused has changed nothing. What
 * needs an administrator is really done when one asks for it, so that nothing is refused only because it could not work.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Right } from "../../src/contract/operation.ts";
import { assertAnswer, HOLDERS, KINDS, RightsWorld, ROUTES, SOCKETS, type Things } from "../support/rights-world.ts";

let world: RightsWorld;
let shared: Things;

before(async () => {
  world = await RightsWorld.open();
  shared = await world.makeThings();
});
after(() => world?.close());

/** What passes by itself: times, and how a server is at the moment. */
const PASSING = new Set([
  "lastUsedUtc",
  "lastSeenUtc",
  "updatedUtc",
  "log",
  "state",
  "status",
  "restarts",
  "progress",
  "lastError",
  "kind",
  "tools",
  "transport",
  "revision",
]);

/** All that others use, as an administrator sees it, by its place. */
async function everything(): Promise<Readonly<Record<string, string>>> {
  const agents = await world.admin.done("GET", "/agents");
  const servers = await world.admin.done("GET", "/mcp/servers");
  const places = [
    "/agents",
    "/mcp/servers",
    "/mcp/tools/all?withMissing=true",
    "/keys",
    "/admin/tools/api",
    "/admin/apis",
    "/house",
    ...agents.map(({ id }: { id: string }) => `/agents/${id}/bindings`),
    ...servers.map(({ id }: { id: string }) => `/mcp/servers/${id}/discovery`),
  ];
  const seen = await Promise.all(places.map(async (place) => [place, shown(await world.admin.done("GET", place))]));
  return Object.fromEntries(seen);
}

/** This hub has no nodes; test/cluster/one-view.test.ts drains one. */
function isOfCluster({ path }: { readonly path: string }): boolean {
  return path.startsWith("/cluster/");
}

function shown(told: unknown): string {
  return JSON.stringify(told, (name, value) => (PASSING.has(name) ? undefined : value));
}

describe("each kind of caller, by the table of rights", () => {
  it("meets the same table in /openapi.json", async () => {
    const { paths } = (await world.admin.get("/openapi.json")).body;
    const described = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.entries<{ "x-needs": Right }>(methods as never).map(
        ([method, told]) => `${method.toUpperCase()} ${path} ${told["x-needs"]}`,
      ),
    );
    const declared = new Set(ROUTES.map(({ method, path, needs }) => `${method} ${path} ${needs}`));
    assert.ok(described.length > 60);
    assert.deepEqual(
      described.filter((one) => !declared.has(one)),
      [],
    );
  });

  for (const row of ROUTES) {
    it(`${row.method} ${row.path} needs ${row.needs}`, async () => {
      const things = row.needs === "admin" ? await world.makeThings() : shared;
      const holders = HOLDERS[row.needs];
      const before = await everything();
      for (const kind of KINDS.filter((one) => !holders.includes(one))) {
        const { status, text } = await world.ask(row, things, world.headersOf(kind));
        assertAnswer(row, kind, status, text);
      }
      assert.deepEqual(await everything(), before);
      for (const kind of holders) {
        const { status, text } = await world.ask(row, things, world.headersOf(kind));
        assertAnswer(row, kind, status, text);
        if (row.needs === "admin" && !isOfCluster(row)) assert.ok(status >= 200 && status < 300, `${status} ${text}`);
      }
    });
  }

  for (const row of SOCKETS) {
    it(`a WebSocket at ${row.path} needs ${row.needs}`, async () => {
      for (const kind of KINDS) {
        const { status, text } = await world.dial(row, world.headersOf(kind));
        assertAnswer(row, kind, status, text);
      }
    });
  }

  it("an agent's place is for itself, and for those who may use everything", async () => {
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    await world.admin.agent("another");
    for (const [kind, agent, expected] of [
      ["agent", "ana", 200],
      ["plain", "ana", 200],
      ["limited", "ana", 404],
      ["agent", "another", 404],
    ] as const) {
      const headers = { ...world.headersOf(kind), "content-type": "application/json" };
      const body = JSON.stringify(list);
      const { status } = await fetch(`${world.hub.url}/agents/${agent}/mcp`, { method: "POST", headers, body });
      assert.equal(status, expected, `${kind} as ${agent}`);
    }
  });
});
