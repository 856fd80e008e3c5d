/**
 * Every route of every door with every way to show, or to pretend, who one is; and sessions of one in the hands of another. Who has
 * no right is refused, and nothing that was stolen or made up is accepted. What an administrator may do is done in
 * `test/slow/rights.test.ts`.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { RightRow } from "../support/rights-table.ts";
import {
  assertAnswer,
  HOLDERS,
  type Kind,
  RightsWorld,
  ROUTES,
  SOCKETS,
  type Things,
} from "../support/rights-world.ts";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { figure, sized } from "../support/scorecard.ts";

const ROW = 14;
/** Of all cells of the matrix, one in so many. */
const EVERY = sized(9, 1);
const TOKENS = sized(10, 300);
const SESSIONS = sized(30, 2_000);

let world: RightsWorld;
let things: Things;
let client: RpcOverHttp;
before(async () => {
  world = await RightsWorld.open();
  things = await world.makeThings();
  client = new RpcOverHttp(world.hub.url);
});
after(async () => {
  await client?.close();
  await world?.close();
});

/** How somebody shows a key, and who the hub is to take them for. */
interface Claim {
  readonly as: Kind;
  headers(): Record<string, string>;
  readonly query?: () => string;
}

const key = (kind: Kind): string => world.keys[kind] ?? "";
/** A credential belongs into one of two headers, and nowhere else. */
const CLAIMS: readonly Claim[] = [
  { as: "none", headers: () => ({}) },
  { as: "revoked", headers: () => ({ authorization: "Bearer zk_nobodys-key" }) },
  { as: "revoked", headers: () => ({ "x-api-key": "zk_nobodys-key" }) },
  { as: "revoked", headers: () => ({ authorization: `Bearer ${key("admin").slice(0, -1)}` }) },
  { as: "revoked", headers: () => ({ authorization: `Bearer ${key("revoked")}` }) },
  { as: "revoked", headers: () => ({ "x-api-key": key("revoked") }) },
  { as: "none", headers: () => ({ cookie: `authorization=${key("admin")}; key=${key("admin")}` }) },
  { as: "none", headers: () => ({}), query: () => `?key=${key("admin")}&access_token=${key("admin")}` },
  { as: "none", headers: () => ({ "x-forwarded-user": "admin", "x-real-ip": "127.0.0.1", "x-admin": "true" }) },
  ...(["limited", "agent", "plain"] as const).flatMap((as): Claim[] => [
    { as, headers: () => ({ authorization: `Bearer ${key(as)}` }) },
    { as, headers: () => ({ "x-api-key": key(as) }) },
    { as, headers: () => ({ authorization: `bearer ${key(as)}`, cookie: `key=${key("admin")}` }) },
  ]),
];

/** What somebody may do is not done here a thousand times over. */
function isToAsk({ row, claim }: { readonly row: RightRow; readonly claim: Claim }): boolean {
  const isHarmless = row.method === "GET" || row.method === "WS" || row.path.endsWith("/mcp");
  return isHarmless || !HOLDERS[row.needs].includes(claim.as);
}

describe("the matrix of routes and credentials", () => {
  it("has no cell that deviates from the table of rights", async () => {
    const cells = [...ROUTES, ...SOCKETS].flatMap((row) => CLAIMS.map((claim) => ({ row, claim })));
    const chosen = cells.filter(isToAsk).filter((_, place) => place % EVERY === 0);
    for (const { row, claim } of chosen) {
      const query = claim.query?.() ?? "";
      const isSocket = row.method === "WS";
      const asked = isSocket ? world.dial(row, claim.headers(), query) : world.ask(row, things, claim.headers(), query);
      const { status, text } = await asked;
      assertAnswer(row, claim.as, status, text);
    }
    figure(ROW, "cells that deviate from the table of rights", `0 of ${chosen.length}`);
  });

  it("accepts no token that somebody made up", async () => {
    for (let number = 0; number < TOKENS; number++) {
      const { status } = await client.rpc(
        { id: 1, method: "tools/list" },
        { authorization: `Bearer ${forged(number)}` },
      );
      assert.equal(status, 401, forged(number));
    }
    figure(ROW, "forged JWTs accepted (there are no JWTs yet: they are unknown keys)", `0 of ${TOKENS}`);
  });
});

describe(`${SESSIONS} sessions of one in the hands of another`, () => {
  const INITIALIZE = {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "0" } },
  };

  it("are answered like sessions that never were, and stay their owner's", async () => {
    const [owner, thief] = [world.headersOf("plain"), world.headersOf("limited")];
    const ids: string[] = [];
    for (let number = 0; number < SESSIONS; number++)
      ids.push(String((await client.rpc(INITIALIZE, owner)).headers["mcp-session-id"]));
    assert.equal(new Set(ids).size, SESSIONS);
    const unknown = await stolen(thief, "A".repeat(32));
    let accepted = 0;
    for (const id of ids) {
      const answers = await stolen(thief, id);
      accepted += answers.filter((answer, way) => answer !== unknown[way]).length;
    }
    figure(
      ROW,
      "stolen sessions answered otherwise than unknown ones (POST, GET, DELETE)",
      `${accepted} of ${3 * SESSIONS}`,
    );
    assert.equal(accepted, 0);
    assert.ok(
      unknown.every((answer) => answer.startsWith("404")),
      unknown.join(),
    );
    for (const id of ids) {
      const { status } = await client.rpc({ id: 2, method: "ping" }, { ...owner, "mcp-session-id": id });
      assert.equal(status, 200, "a session was taken from its owner");
    }
  });

  it("of the bridge are, too", async () => {
    const [owner, thief] = [world.headersOf("plain"), world.headersOf("limited")];
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    const said = async (headers: Record<string, string>): Promise<string> => {
      const { status, text } = await client.send("POST", "/mcp/tools/list", call, headers);
      return `${status} ${JSON.parse(text).error?.data?.code ?? JSON.parse(text).error?.code ?? "served"}`;
    };
    const unknown = await said({ ...thief, "x-session-id": "nobodys-session" });
    let accepted = 0;
    for (let number = 0; number < SESSIONS / 10; number++) {
      const { text } = await client.send("POST", "/mcp/initialize", JSON.stringify(INITIALIZE.params), owner);
      const id = JSON.parse(text).result.session_id as string;
      if ((await said({ ...thief, "x-session-id": id })) !== unknown) accepted++;
      assert.match(await said({ ...owner, "x-session-id": id }), /^200 served/);
    }
    figure(
      ROW,
      "stolen sessions of the bridge answered otherwise than unknown ones",
      `${accepted} of ${Math.ceil(SESSIONS / 10)}`,
    );
    assert.equal(accepted, 0);
  });

  /** How each way to use it is answered. */
  async function stolen(thief: Record<string, string>, id: string): Promise<string[]> {
    const headers = { ...thief, accept: "application/json, text/event-stream", "mcp-session-id": id };
    const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const answers = [
      await client.send("POST", "/mcp", list, headers),
      await client.send("GET", "/mcp", undefined, headers),
      await client.send("DELETE", "/mcp", undefined, headers),
    ];
    return answers.map(({ status, text }) => `${status} ${text}`);
  }
});

/** Unsigned, signed with a secret that is easy to guess, long expired: each in turn. */
function forged(number: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const alg = ["none", "HS256", "RS256"][number % 3];
  const claims = { sub: "admin", admin: true, exp: 4_102_444_800 - number, iss: world.hub.url, aud: world.hub.url };
  const signed = `${part({ alg, typ: "JWT", kid: number % 2 ? "../../dev/null" : "1" })}.${part(claims)}`;
  return `${signed}.${alg === "none" ? "" : createHmac("sha256", "secret").update(signed).digest("base64url")}`;
}
