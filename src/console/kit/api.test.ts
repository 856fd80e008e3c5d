/** The page's way to the hub: what is sent, and what becomes of an answer that is no success. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { at, getPage, Problem, send } from "./api.ts";
import { callTool } from "./call-tool.ts";
import { keyWanted } from "./key.ts";

const ownFetch = globalThis.fetch;
let asked: { readonly path: string; readonly init: RequestInit }[];
let key: string | null;

/** Neither exists outside of a browser. */
function answerWith(answer: () => Response): void {
  globalThis.fetch = async (path, init = {}) => {
    asked.push({ path: String(path), init });
    return answer();
  };
}

beforeEach(() => {
  [asked, key] = [[], null];
  const storage = { getItem: () => key } as unknown as Storage;
  Object.defineProperty(globalThis, "sessionStorage", { value: storage, configurable: true });
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
});

afterEach(() => {
  globalThis.fetch = ownFetch;
  keyWanted.set(false);
});

describe("a request to the hub", () => {
  it("is relative to the page, in its language, with its key, and says what its body is", async () => {
    key = "zgn_1";
    answerWith(() => Response.json({ ok: true }));
    await send("POST", "/mcp/servers", { body: { name: "a" } });
    assert.equal(asked[0]?.path, "mcp/servers");
    assert.deepEqual(asked[0]?.init.headers, {
      authorization: "Bearer zgn_1",
      "accept-language": "en",
      "content-type": "application/json",
    });
    assert.equal(asked[0]?.init.body, '{"name":"a"}');
  });

  it("escapes what is put into its path", () => {
    assert.equal(at`/mcp/servers/${"a/b?c"}/tools/${7}`, "/mcp/servers/a%2Fb%3Fc/tools/7");
  });

  it("gives nothing where nothing is answered", async () => {
    answerWith(() => new Response(null, { status: 204 }));
    assert.equal(await send("DELETE", "/calls/1"), undefined);
  });

  it("knows how many there are beyond the page", async () => {
    answerWith(() => Response.json([1, 2], { headers: { "x-total-count": "70" } }));
    assert.deepEqual(await getPage("/mcp/tools"), { rows: [1, 2], total: 70 });
    answerWith(() => Response.json([1, 2]));
    assert.equal((await getPage("/mcp/tools")).total, 2);
  });
});

describe("what goes wrong", () => {
  const failure = async (promise: Promise<unknown>): Promise<Problem> => {
    const cause = await promise.then(
      () => assert.fail("it did not fail"),
      (error: unknown) => error,
    );
    assert.ok(cause instanceof Problem, String(cause));
    return cause;
  };

  it("is the problem that the hub describes", async () => {
    const body = { title: "Bad request", detail: "no", errors: [{ field: "name", message: "is taken" }] };
    answerWith(() => Response.json(body, { status: 422 }));
    const problem = await failure(send("POST", "/agents", { body: {} }));
    assert.deepEqual([problem.status, problem.message, problem.of("name")], [422, "no", "is taken"]);
    assert.equal(problem.of("other"), undefined);
  });

  it("has no title that only says the status in English", async () => {
    const body = { type: "about:blank", title: "Not Found", detail: "No existe" };
    answerWith(() => Response.json(body, { status: 404 }));
    const problem = await failure(send("GET", "/x"));
    assert.deepEqual([problem.body.title, problem.message], [undefined, "No existe"]);
  });

  it("is told in the words of JSON-RPC where those were spoken", async () => {
    answerWith(() => Response.json({ error: { code: -32_600, message: "busy" } }, { status: 503 }));
    assert.equal((await failure(send("GET", "/x"))).message, "busy");
  });

  it("is no more than its status where the answer is no JSON", async () => {
    answerWith(() => new Response("<h1>", { status: 502, statusText: "Bad Gateway" }));
    assert.equal((await failure(send("GET", "/x"))).message, "502 Bad Gateway");
  });

  it("asks for a key where one is wanted, and nowhere else", async () => {
    answerWith(() => Response.json({}, { status: 403 }));
    await failure(send("GET", "/x"));
    assert.equal(keyWanted.get(), false);
    answerWith(() => Response.json({}, { status: 401 }));
    await failure(send("GET", "/x"));
    assert.equal(keyWanted.get(), true);
  });

  it("is a problem without a status where the hub is not there", async () => {
    answerWith(() => {
      throw new TypeError("fetch failed");
    });
    const problem = await failure(send("GET", "/x"));
    assert.deepEqual([problem.status, problem.message], [0, "problem.unreachable"]);
  });
});

describe("a call of a tool", () => {
  it("is one request to /mcp under the name that is always right", async () => {
    answerWith(() => Response.json({ result: { content: [{ type: "text", text: "on" }] } }));
    const { content } = await callTool("house", "set_light_state", { on: true });
    assert.deepEqual(content, [{ type: "text", text: "on" }]);
    const { method, params } = JSON.parse(String(asked[0]?.init.body));
    assert.deepEqual([asked[0]?.path, method], ["mcp", "tools/call"]);
    assert.deepEqual(params, { name: "house__set_light_state", arguments: { on: true } });
  });

  it("that failed itself is a problem, with all that was said", async () => {
    const error = { code: -32_602, message: "no such tool", data: { code: "UNKNOWN_TOOL" } };
    answerWith(() => Response.json({ error }));
    await assert.rejects(callTool("a", "b", {}), (cause: unknown) => {
      assert.ok(cause instanceof Problem);
      assert.deepEqual([cause.message, cause.body["rpc"]], ["no such tool", error]);
      return true;
    });
  });
});
