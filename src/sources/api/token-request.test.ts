import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { afterEach, describe, it } from "node:test";
import { failure, operation, type Seen, TestApis } from "../../../test/support/api-source.ts";
import type { TokenRequest } from "./operation.ts";

const PASSWORD = "p4ss/w0rd+é";
const apis = new TestApis();
afterEach(() => apis.close());

describe("a token that is asked for with a payload", () => {
  const payload = JSON.stringify({ identifier: "ana", password: PASSWORD, nested: { pin: 123456 } });
  const ways: readonly (readonly [string, Partial<TokenRequest>, (seen: Seen) => void])[] = [
    [
      "JSON in the body",
      {},
      ({ method, headers, body }) => {
        assert.deepEqual([method, headers["content-type"]], ["POST", "application/json"]);
        assert.deepEqual(JSON.parse(body), JSON.parse(payload));
      },
    ],
    [
      "a form in the body",
      { payloadType: "form", method: "PUT" },
      ({ method, headers, body }) => {
        assert.deepEqual([method, headers["content-type"]], ["PUT", "application/x-www-form-urlencoded"]);
        assert.equal(new URLSearchParams(body).get("password"), PASSWORD);
      },
    ],
    [
      "the query",
      { payloadIn: "query", method: "GET", url: "?fixed=1" },
      ({ method, url, body }) => {
        const { searchParams } = new URL(url, "http://x");
        assert.deepEqual([method, body, searchParams.get("fixed")], ["GET", "", "1"]);
        assert.equal(searchParams.get("password"), PASSWORD);
      },
    ],
  ];
  for (const [way, given, check] of ways) {
    it(`sends it as ${way}, once for all who wait, and neither comes back`, async () => {
      const { call, seen } = await open({ payload, ...given });
      const results = await Promise.all([1, 2, 3].map(() => call("weather", { q: "x" })));
      const asked = seen.filter(isForToken);
      assert.equal(asked.length, 1);
      check(asked[0] as Seen);
      const calls = seen.filter((each) => !isForToken(each));
      assert.deepEqual(
        calls.map(({ headers }) => headers.authorization),
        Array(3).fill("Bearer tok-1"),
      );
      const text = results.map((payload) => payload.text).join();
      for (const secret of ["tok-1", PASSWORD, "123456"]) assert.ok(!text.includes(secret), text);
      assert.match(text, /ana/);
    });
  }

  it("stands where the path says, and goes where the API wants it", async () => {
    const paths = { "data.0.token": { data: [{ token: "t-7" }] }, "": "t-7", n: { n: 7 } };
    for (const [tokenPath, given] of Object.entries(paths)) {
      const { call, seen } = await open({ tokenPath, header: "X-Session", prefix: "" }, { given });
      await call("weather", { q: "x" });
      assert.equal(seen.at(-1)?.headers["x-session"], tokenPath === "n" ? "7" : "t-7");
      assert.equal(seen.at(-1)?.headers.authorization, undefined);
    }
  });

  it("that cannot be had is an API that is not there, and gets nothing", async () => {
    const lacking = { given: { other: 1 } };
    for (const [given, how] of [
      [{}, { ...lacking, status: 403 }],
      [{}, lacking],
      [{ payload: "no JSON" }, {}],
      [{ payload: "[]" }, {}],
      [{}, { given: { token: "two\nlines" } }],
    ] as const) {
      const { call, seen } = await open({ payload, ...given }, how);
      const error = await failure(call("weather", { q: "x" }));
      assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
      assert.ok(!JSON.stringify([error.message, error.details]).includes(PASSWORD));
      assert.ok(seen.every(isForToken));
    }
  });
});

describe("a token that has ended", () => {
  const invalidation = ["ExpiredToken", " sesión caducada "];
  const endings: readonly (readonly [string, number, string, object])[] = [
    ["401", 401, "no", {}],
    ["400 with a keyword", 400, '{"error":"expiredtoken"}', { invalidation }],
    ["200 with a keyword", 200, '{"error":"Sesión caducada."}', { invalidation }],
  ];
  for (const [what, status, body, given] of endings) {
    it(`is fetched anew and the call made once more (${what})`, async () => {
      const { call, seen } = await open(given, { ended: ["tok-1"], status: 200, ending: [status, body] });
      assert.match((await call("weather", { q: "x" })).text, /"ok":true/);
      assert.deepEqual(seen.map(name), ["token", "Bearer tok-1", "token", "Bearer tok-2"]);
      await call("weather", { q: "x" });
      assert.equal(seen.length, 5);
    });
  }

  it("is not tried a third time", async () => {
    const { call, seen } = await open({}, { ended: ["tok-1", "tok-2"] });
    assert.match((await call("weather", { q: "x" })).text, /HTTP 401/);
    assert.equal(seen.length, 4);
  });

  it("does not do again what may have been done, but for 401", async () => {
    const post = { operations: [operation({ method: "POST" })] };
    const said = await open({ invalidation }, { ended: ["tok-1"], ending: [200, "ExpiredToken"] }, post);
    assert.match((await said.call("weather", { q: "x" })).text, /ExpiredToken/);
    assert.deepEqual(said.seen.map(name), ["token", "Bearer tok-1"]);
    await said.call("weather", { q: "x" });
    assert.deepEqual(said.seen.map(name).slice(2), ["token", "Bearer tok-2"]);
    const refused = await open({}, { ended: ["tok-1"] }, post);
    await refused.call("weather", { q: "x" });
    assert.equal(refused.seen.length, 4);
  });

  it("is not seen in a long answer that only speaks of such things", async () => {
    const long = `ExpiredToken ${"x".repeat(20_000)}`;
    const { call, seen } = await open({ invalidation }, { ended: ["tok-1"], ending: [200, long] });
    await call("weather", { q: "x" });
    assert.equal(seen.length, 2);
  });
});

interface Behaviour {
  /** Of the token server; `given` is what it answers. */
  readonly status?: number;
  readonly given?: unknown;
  /** Tokens that are no longer good, and how the API says so. */
  readonly ended?: readonly string[];
  readonly ending?: readonly [number, string];
}

async function open(given: Partial<TokenRequest>, how: Behaviour = {}, options: object = {}) {
  let tokens = 0;
  return apis.open(
    (url) => ({
      auths: { "": { ...USUAL, ...given, url: `${url}/token${given.url ?? ""}` } },
      ...options,
    }),
    (seen, response) => {
      const { given: said, status = 200, ended = [], ending = [401, "no"] } = how;
      if (isForToken(seen)) return reply(response, status, said ?? { token: `tok-${++tokens}` });
      const token = seen.headers.authorization?.replace("Bearer ", "") ?? "";
      if (ended.includes(token)) return void response.writeHead(ending[0]).end(ending[1]);
      return reply(response, 200, { ok: true, seen, repeated: `ana ${PASSWORD} 123456` });
    },
  );
}

const USUAL: TokenRequest = {
  type: "tokenRequest",
  url: "",
  method: "POST",
  payloadType: "json",
  payloadIn: "body",
  payload: "{}",
  tokenPath: "token",
  invalidation: [],
  header: "authorization",
  prefix: "Bearer ",
};

function reply(response: ServerResponse, status: number, value: unknown): void {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}

function isForToken({ url }: Seen): boolean {
  return url.startsWith("/token");
}

function name(seen: Seen): string {
  return isForToken(seen) ? "token" : (seen.headers.authorization ?? "");
}
