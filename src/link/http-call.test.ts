import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { afterEach, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { makeError } from "../../test/support/make-error.ts";
import type { ZaguanError } from "../errors.ts";
import { makeOutbound, type Outbound, type OutboundOptions, type Resolve } from "../security/outbound.ts";
import { HttpCaller, type HttpRequest } from "./http-call.ts";

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

describe("a request over HTTP", () => {
  it("has any method and a body of bytes, and gets bytes back", async () => {
    const url = await serve((request, response) => {
      response.writeHead(207, { "x-method": String(request.method) });
      request.pipe(response);
    });
    const reply = await call({ url, method: "PATCH", body: Buffer.from([0, 255, 10]) });
    assert.deepEqual([reply.status, reply.headers["x-method"]], [207, "PATCH"]);
    assert.deepEqual([...reply.bytes], [0, 255, 10]);
  });

  it("is read up to a limit", async () => {
    const url = await serve((_request, response) => void response.end("x".repeat(100_000)));
    const reply = await call({ url, maxBytes: 1_000 });
    assert.deepEqual([reply.bytes.length, reply.isCut], [1_000, true]);
  });

  it("understands an answer that comes compressed, but none that swells", async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("y".repeat(50_000)));
    });
    assert.equal((await call({ url })).bytes.length, 50_000);
    const error = await failure({ url, maxBytes: 10_000 });
    assert.deepEqual([error.code, error.delivery], ["SOURCE_ERROR", "executed"]);
  });

  it("that cannot be sent has not been", async () => {
    const url = await serve(() => {});
    for (const clean of cleanups.splice(0).reverse()) await clean();
    for (const method of ["GET", "POST"] as const) {
      const error = await failure({ url, method });
      assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    }
  });

  it("that is lost after it was sent may have run", async () => {
    const url = await serve((request) => void request.socket.destroy());
    const codes = {
      GET: "SOURCE_UNAVAILABLE",
      PUT: "SOURCE_UNAVAILABLE",
      POST: "OUTCOME_UNKNOWN",
      DELETE: "OUTCOME_UNKNOWN",
    };
    for (const [method, code] of Object.entries(codes)) {
      const error = await failure({ url, method: method as "GET" });
      assert.deepEqual([method, error.code, error.delivery], [method, code, "unknown"]);
    }
  });

  it("is taken back with the words of who did", async () => {
    const stop = new AbortController();
    const url = await serve(() => stop.abort(makeError("DEADLINE_EXCEEDED")));
    const error = await failure({ url, signal: stop.signal });
    assert.deepEqual([error.code, error.delivery], ["DEADLINE_EXCEEDED", "unknown"]);
    const late = await failure({ url, signal: stop.signal });
    assert.deepEqual([late.code, late.delivery], ["DEADLINE_EXCEEDED", "not_sent"]);
  });

  it("does not wait for ever", async () => {
    const url = await serve(() => {});
    assert.equal((await failure({ url, limitMs: 500 })).delivery, "unknown");
  });

  it("goes to no private address", async () => {
    const url = await serve((_request, response) => void response.end());
    const error = await failure({ url }, false);
    assert.deepEqual([error.code, error.delivery], ["FORBIDDEN_ADDRESS", "not_sent"]);
  });

  it("goes to private origins that were named, and to no others", async () => {
    const own = await serve((_request, response) => void response.end("own"));
    const other = await serve((_request, response) => void response.end("other"));
    const caller = new HttpCaller({ name: "api", allowPrivate: false, privateOrigins: new Set([own]) });
    cleanups.push(() => caller.close());
    assert.equal(Buffer.from((await caller.call(requestTo({ url: `${own}/x` }))).bytes).toString(), "own");
    const error = await caller.call(requestTo({ url: other })).catch((cause) => cause);
    assert.deepEqual([error.code, error.delivery], ["FORBIDDEN_ADDRESS", "not_sent"]);
  });

  it("is cut when all is closed", async () => {
    const arrived = Promise.withResolvers<void>();
    const url = await serve(() => arrived.resolve());
    const caller = new HttpCaller({ name: "api", allowPrivate: true });
    const lost = caller.call(requestTo({ url })).catch((error: ZaguanError) => error.code);
    await arrived.promise;
    await caller.close();
    assert.equal(await lost, "SOURCE_UNAVAILABLE");
  });

  it("leaves no connection open when all is closed, which is told only then", async () => {
    const url = await serve((_request, response) => void response.end("own"));
    let open = 0;
    const counting = async (options: OutboundOptions): Promise<Outbound> => {
      const outbound = await makeOutbound(options);
      open++;
      const close = async (): Promise<void> => {
        await outbound.close();
        open--;
      };
      return { check: (checked) => outbound.check(checked), to: (origin) => outbound.to(origin), close };
    };
    const caller = new HttpCaller({ name: "api", allowPrivate: false, privateOrigins: new Set([url]), open: counting });
    await caller.call(requestTo({ url }));
    await assert.rejects(caller.call(requestTo({ url: "http://127.0.0.1:1" })), { code: "FORBIDDEN_ADDRESS" });
    assert.equal(open, 2);
    await caller.close();
    assert.equal(open, 0);
  });
});

describe("a redirect", () => {
  const HEADERS = { authorization: "Bearer secret", "x-key": "secret", accept: "*/*" };

  it("is followed on the same origin with all headers, and its answer is the answer", async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      seen.push([request.url, request.headers["x-key"]]);
      if (request.url === "/") response.writeHead(302, { location: "next?x=1#f" }).end();
      else response.end("there");
    });
    const reply = await call({ url: `${url}/`, headers: HEADERS });
    assert.equal(Buffer.from(reply.bytes).toString(), "there");
    assert.deepEqual(seen, [
      ["/", "secret"],
      ["/next?x=1", "secret"],
    ]);
  });

  it("to another origin takes nothing of ours along, nor back", async () => {
    const seen: IncomingMessage["headers"][] = [];
    let home = "";
    const other = await serve((_request, response) => void response.writeHead(307, { location: `${home}/end` }).end());
    home = await serve((request, response) => {
      seen.push(request.headers);
      if (request.url === "/end") response.end("ok");
      else response.writeHead(308, { location: other }).end();
    });
    await call({ url: home, headers: HEADERS });
    assert.deepEqual(
      seen.map((headers) => headers["x-key"]),
      ["secret", undefined],
    );
    assert.deepEqual(
      seen.map((headers) => headers.authorization),
      ["Bearer secret", undefined],
    );
  });

  it("leads nowhere after five", async () => {
    let count = 0;
    const url = await serve((_request, response) => void response.writeHead(301, { location: `/${++count}` }).end());
    const error = await failure({ url });
    assert.deepEqual([error.code, error.delivery, count], ["SOURCE_ERROR", "executed", 6]);
  });

  it("never leads to what is no HTTP, has a password in it, or is private", async () => {
    for (const location of ["ftp://api.test/", "http://u:p@127.0.0.1/", "file:///etc/passwd"]) {
      const url = await serve((_request, response) => void response.writeHead(302, { location }).end());
      const error = await failure({ url });
      assert.deepEqual([location, error.code, error.delivery], [location, "FORBIDDEN_ADDRESS", "executed"]);
    }
  });

  it("from a public place never leads to a private one, by address or by name", async () => {
    const hits: unknown[] = [];
    const inside = await serve((request, response) => {
      hits.push(request.url);
      response.end();
    });
    const { port } = new URL(inside);
    for (const host of ["127.0.0.1", "[::1]", "0x7f.1", "localhost", "[::ffff:127.0.0.1]"]) {
      const location = `http://${host}:${port}/secret`;
      const outside = await serve((_request, response) => void response.writeHead(302, { location }).end());
      const caller = new HttpCaller({ name: "api", allowPrivate: false, open: publiclyAt(outside) });
      cleanups.push(() => caller.close());
      const error = await caller.call(requestTo({ url: "http://api.test/" })).catch((cause) => cause);
      assert.deepEqual([host, error.code, error.delivery], [host, "FORBIDDEN_ADDRESS", "executed"]);
    }
    assert.deepEqual(hits, []);
  });

  it("of a name that has a private address as well leads nowhere, however public the others are", async () => {
    const hits: unknown[] = [];
    const inside = await serve((request, response) => {
      hits.push(request.url);
      response.end();
    });
    const { port } = new URL(inside);
    const location = `http://rebound.test:${port}/secret`;
    const outside = await serve((_request, response) => void response.writeHead(302, { location }).end());
    for (const addresses of [
      ["127.0.0.1"],
      ["93.184.215.14", "127.0.0.1"],
      ["::ffff:127.0.0.1"],
      ["169.254.169.254"],
    ]) {
      const resolve = async () => addresses.map((address) => ({ address, family: isIP(address) }));
      const caller = new HttpCaller({ name: "api", allowPrivate: false, open: publiclyAt(outside, resolve) });
      cleanups.push(() => caller.close());
      const there = await caller.call(requestTo({ url: "http://api.test/" })).catch((cause) => cause);
      assert.deepEqual([there.code, there.delivery], ["FORBIDDEN_ADDRESS", "executed"]);
      const straight = await caller.call(requestTo({ url: location })).catch((cause) => cause);
      assert.deepEqual([straight.code, straight.delivery], ["FORBIDDEN_ADDRESS", "not_sent"]);
    }
    assert.deepEqual(hits, []);
  });

  it("makes a GET of what was done, and is not followed where it would be done again", async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers["content-type"]}`);
      if (request.url === "/done") response.end("done");
      else response.writeHead(Number(request.url?.slice(1)), { location: "/done" }).end();
    });
    const headers = { "content-type": "text/plain" };
    for (const status of [303, 302, 307, 308])
      await call({ url: `${url}/${status}`, method: "POST", body: "x", headers });
    assert.equal((await call({ url: `${url}/302`, method: "PUT", headers })).status, 302);
    assert.deepEqual(seen, [
      "POST /303 text/plain",
      "GET /done undefined",
      "POST /302 text/plain",
      "GET /done undefined",
      "POST /307 text/plain",
      "POST /308 text/plain",
      "PUT /302 text/plain",
    ]);
  });

  it("whose end is not there leaves open what happened", async () => {
    const gone = await serve(() => {});
    for (const clean of cleanups.splice(0).reverse()) await clean();
    const url = await serve((_request, response) => void response.writeHead(303, { location: gone }).end());
    const error = await failure({ url, method: "POST" });
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "unknown"]);
  });
});

function requestTo(given: Partial<HttpRequest> & { url: string }): HttpRequest {
  return { method: "GET", headers: {}, follow: true, maxBytes: 1_000_000, limitMs: 20_000, ...given };
}

async function call(given: Partial<HttpRequest> & { url: string }, allowPrivate = true) {
  const caller = new HttpCaller({ name: "api", allowPrivate });
  cleanups.push(() => caller.close());
  return caller.call(requestTo(given));
}

async function failure(given: Partial<HttpRequest> & { url: string }, allowPrivate = true): Promise<ZaguanError> {
  return call(given, allowPrivate).then(
    () => assert.fail("it did not fail"),
    (error) => error as ZaguanError,
  );
}

/** The real way out, but for api.test, which is where the test says. */
function publiclyAt(url: string, resolve?: Resolve) {
  return async (options: OutboundOptions): Promise<Outbound> => {
    const real = await makeOutbound({ ...options, ...(resolve && { resolve }) });
    const local = await makeOutbound({ allowPrivate: true });
    return {
      check: (checked) => real.check(checked),
      to: (origin) => (origin === "http://api.test" ? local.to(url) : real.to(origin)),
      close: async () => void (await Promise.all([real.close(), local.close()])),
    };
  };
}

async function serve(handle: Handle): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
