import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, it } from "node:test";
import { makeError } from "../../../test/support/make-error.ts";
import { never } from "../../../test/support/supervised.ts";
import { ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import { Refusal } from "../shared/tool-call.ts";
import type { House } from "./house.ts";
import { askOverHttp, siteOf } from "./rest.ts";

const TOKEN = "very-secret-token";
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

describe("a house asked over HTTP", () => {
  it("gets the token and the body, and gives JSON", async () => {
    const seen: (string | undefined)[] = [];
    const house = await serve((request, response) => {
      seen.push(request.method, request.url, request.headers.authorization, request.headers["content-type"]);
      request.pipe(response);
    });
    const request = { method: "POST", path: "/api/x?y=%20", body: '{"a":1}' } as const;
    assert.deepEqual(await askOverHttp(house, request, never), { a: 1 });
    assert.deepEqual(seen, ["POST", "/api/x?y=%20", `Bearer ${TOKEN}`, "application/json"]);
  });

  it("may refuse the token, which is then named and not shown", async () => {
    for (const status of [401, 403]) {
      const error = await failure(await serve(answering(status, `${status}: Unauthorized`)));
      assert.ok(error instanceof ZaguanError);
      assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
      assert.match(error.message, new RegExp(`refused the token \\(HTTP ${status}\\)`));
      assert.ok(!JSON.stringify([error, error.message, error.stack]).includes(TOKEN));
    }
  });

  it("says no in its own words, where it has any", async () => {
    const wordy = await failure(await serve(answering(400, '{"message":"Message malformed:\\n extra keys"}')));
    assert.ok(wordy instanceof Refusal);
    assert.equal(wordy.message, "Message malformed:  extra keys");
    const terse = await failure(await serve(answering(404, "404: Not Found")));
    assert.equal(terse.message, "HTTP 404");
  });

  it("is of no use if it answers something else", async () => {
    const odd = await failure(await serve(answering(200, "<html>")));
    assert.equal((odd as ZaguanError).code, "SOURCE_ERROR");
  });

  it("is not waited for when the caller has had enough, who is told so", async () => {
    const stop = new AbortController();
    const house = await serve(() => stop.abort(makeError("DEADLINE_EXCEEDED")));
    const error = await failure(house, stop.signal);
    assert.deepEqual([(error as ZaguanError).code, (error as ZaguanError).delivery], ["DEADLINE_EXCEEDED", "unknown"]);
  });

  it("that cannot be reached has got nothing", async () => {
    const house = await serve(() => {});
    for (const clean of cleanups.splice(0).reverse()) await clean();
    const error = await failure({ ...house, site: siteOf({ ...options(house.name), url: house.name }, "madrid") });
    assert.deepEqual(
      [(error as ZaguanError).code, (error as ZaguanError).delivery],
      ["SOURCE_UNAVAILABLE", "not_sent"],
    );
  });

  it("is not asked where that is forbidden", async () => {
    const house = await serve(answering(200, "{}"));
    const site = siteOf({ ...options(house.name), allowPrivate: false }, "madrid");
    const error = await failure({ ...house, site });
    assert.equal((error as ZaguanError).code, "FORBIDDEN_ADDRESS");
  });
});

function answering(status: number, body: string) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status).end(body);
  };
}

function options(url: string) {
  return { url, token: TOKEN, allowPrivate: true, lastHeard: new Map() };
}

async function failure(house: House, signal: CancelSignal = never): Promise<Error> {
  return askOverHttp(house, { method: "GET", path: "/api/x" }, signal).then(
    () => assert.fail("it did not fail"),
    (error) => error as Error,
  );
}

/** A house of which only what is asked over HTTP is there; its name is its address. */
async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<House> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const name = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const site = siteOf(options(name), "madrid");
  cleanups.push(async () => {
    await site.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { name, site } as House;
}
