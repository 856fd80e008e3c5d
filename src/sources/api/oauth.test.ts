import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, it } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { never } from "../../../test/support/supervised.ts";
import type { OAuthClient } from "../../contract/api.ts";
import { ZaguanError } from "../../errors.ts";
import { HttpCaller } from "../../link/http-call.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { ApiConnection } from "./connection.ts";
import { fetchAccessToken } from "./credentials.ts";
import type { ApiOptions } from "./operation.ts";
import { KeptToken } from "./token-request.ts";

const SECRET = "s:e c/ret";
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

describe("an access token", () => {
  it("is fetched once for all who ask, and kept until a minute before its end", async () => {
    const { token, clock, seen } = await open({ expires_in: 3_600 });
    const both = await Promise.all([token.get(never), token.get(never)]);
    assert.deepEqual(both, ["token-1", "token-1"]);
    await clock.advance(3_539_000);
    assert.equal(await token.get(never), "token-1");
    await clock.advance(1_000);
    assert.equal(await token.get(never), "token-2");
    assert.equal(seen.length, 2);
  });

  it("is asked for as the server wants it", async () => {
    const inHeader = await open({}, { sendAs: "header", scopes: ["a", "b"] });
    await inHeader.token.get(never);
    const basic = Buffer.from("the-client:s%3Ae+c%2Fret").toString("base64");
    assert.deepEqual(inHeader.seen, [
      { path: "/token", auth: `Basic ${basic}`, body: "grant_type=client_credentials&scope=a+b" },
    ]);
    const inBody = await open({}, { sendAs: "body" });
    await inBody.token.get(never);
    const body = "grant_type=client_credentials&client_id=the-client&client_secret=s%3Ae+c%2Fret";
    assert.deepEqual(inBody.seen, [{ path: "/token", auth: undefined, body }]);
  });

  it("that is not given is an API that is not there, with nothing of what was sent", async () => {
    const { token } = await open({ error: "invalid_client", access_token: undefined, said: SECRET }, {}, 401);
    const error = await token.get(never).catch((cause) => cause);
    assert.ok(error instanceof ZaguanError);
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    assert.match(error.message, /HTTP 401, invalid_client/);
    assert.ok(!JSON.stringify([error, error.message, error.details]).includes(SECRET));
  });

  it("is not waited for by who has left, while the others get it", async () => {
    const { token } = await open({});
    const stop = new AbortController();
    const left = token.get(stop.signal).catch((error: ZaguanError) => [error.code, error.delivery]);
    const stayed = token.get(never);
    stop.abort(new ZaguanError("CANCELLED"));
    assert.deepEqual(await left, ["CANCELLED", "not_sent"]);
    assert.equal(await stayed, "token-1");
  });
});

describe("a call with an access token", () => {
  it("is made once more, with a new one, if it is refused", async () => {
    const { call, seen } = await openApi(["token-1"]);
    assert.match(await call(), /"structuredContent":\{"auth":"Bearer \[redacted\]"\}/);
    assert.deepEqual(seen, ["/token", "/x Bearer token-1", "/token", "/x Bearer token-2"]);
    await call();
    assert.equal(seen.length, 5);
  });

  it("is made no third time", async () => {
    const { call, seen } = await openApi(["token-1", "token-2"]);
    assert.match(await call(), /HTTP 401/);
    assert.equal(seen.length, 4);
  });

  it("fetches none for arguments that cannot be sent", async () => {
    const { connection, seen } = await openApi([]);
    const args = Payload.ofValue({ h: "a\r\nb" });
    const request = { method: "tools/call", name: "op", args, language: "en", signal: never } as const;
    await assert.rejects(connection.request(request), /INVALID_ARGUMENT/);
    assert.deepEqual(seen, []);
  });
});

async function open(answer: object, given: Partial<OAuthClient> = {}, status = 200) {
  const seen: unknown[] = [];
  const url = await serve(async (path, auth, body) => {
    seen.push({ path, auth, body });
    return [status, { access_token: `token-${seen.length}`, token_type: "bearer", ...answer }];
  });
  const clock = new FakeClock();
  const caller = new HttpCaller({ name: "api", allowPrivate: true });
  cleanups.push(() => caller.close());
  const fetch = () => fetchAccessToken(clientAt(url, given), caller, "api");
  return { token: new KeptToken(fetch, clock), clock, seen };
}

async function openApi(refused: readonly string[]) {
  const seen: string[] = [];
  let tokens = 0;
  const url = await serve(async (path, auth) => {
    seen.push(path === "/token" ? path : `${path} ${auth}`);
    if (path === "/token") return [200, { access_token: `token-${++tokens}`, expires_in: 3_600 }];
    return [refused.some((token) => auth === `Bearer ${token}`) ? 401 : 200, { auth }];
  });
  const parameter = {
    argument: "h",
    name: "X-H",
    in: "header",
    style: "simple",
    explode: false,
    required: false,
  } as const;
  const operation = {
    name: "op",
    description: "",
    method: "POST",
    path: "/x",
    parameters: [parameter],
    inputSchema: {},
  } as const;
  const options: ApiOptions = {
    baseUrl: url,
    auths: { "": clientAt(url, {}) },
    headers: {},
    operations: [operation],
    allowPrivate: true,
    maxAnswerChars: 1_000,
  };
  const connection = new ApiConnection(options, { name: "api", clock: new FakeClock() }, noPicker);
  cleanups.push(() => connection.close());
  const args = Payload.ofValue({});
  const call = async (): Promise<string> =>
    (await connection.request({ method: "tools/call", name: "op", args, language: "en", signal: never })).text;
  return { connection, call, seen };
}

const noPicker = (): Promise<never> => assert.fail("nothing is picked here");

function clientAt(url: string, given: Partial<OAuthClient>): OAuthClient {
  const client = { clientId: "the-client", clientSecret: SECRET, scopes: [], sendAs: "header" } as const;
  return { type: "oauth2", tokenUrl: `${url}/token`, ...client, ...given };
}

type Handle = (path: string, auth: string | undefined, body: string) => Promise<readonly [number, object]>;

async function serve(handle: Handle): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [status, body] = await handle(
      request.url ?? "",
      request.headers.authorization,
      Buffer.concat(chunks).toString(),
    );
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
