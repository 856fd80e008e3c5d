import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { afterEach, describe, it } from "node:test";
import {
  answer,
  failure,
  type Handle,
  operation,
  query,
  type Result,
  type Seen,
  TestApis,
} from "../../../test/support/api-source.ts";
import { never } from "../../../test/support/supervised.ts";
import type { ApiOptions } from "./operation.ts";

const SECRET = "very-secret/key+1";
const apis = new TestApis();

afterEach(() => apis.close());

describe("an API", () => {
  it("offers its operations as tools, with hints that follow from the method", async () => {
    const operations = (["GET", "PUT", "POST"] as const).map((method) =>
      operation({ name: method.toLowerCase(), method }),
    );
    const { connection } = await open({ operations });
    const tools = await connection.listTools(never);
    assert.deepEqual(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.idempotentHint]),
      [
        ["get", true, undefined],
        ["put", false, true],
        ["post", false, undefined],
      ],
    );
    const offered = tools.map(({ inputSchema }) => Object.keys(inputSchema["properties"] as object));
    assert.deepEqual(offered, [["q", "_pick", "_offset"], ["q"], ["q"]]);
  });

  it("does not offer what would clash with its own arguments", async () => {
    const own = operation({
      inputSchema: { type: "object", properties: { _offset: {} } },
      parameters: [query("_pick")],
    });
    const { connection } = await open({ operations: [own] });
    assert.deepEqual((await connection.listTools(never))[0]?.inputSchema, own.inputSchema);
  });

  it("that is plain does not list what was added to it, but takes it", async () => {
    const plain = operation({ plain: true });
    const text = JSON.stringify({ items: ["a", "b", "c"] });
    const { connection, result } = await open(
      { operations: [plain], maxAnswerChars: 12 },
      answer(200, text, "application/json"),
    );
    assert.deepEqual((await connection.listTools(never))[0]?.inputSchema, plain.inputSchema);
    const cut = await result({ q: "x" });
    assert.match(cut.content[1]?.text ?? "", /_offset=12 .*_pick/);
    assert.equal((await result({ q: "x", _offset: 12 })).content[0]?.text, text.slice(12));
    assert.equal((await result({ q: "x", _pick: "$.items[1]" })).content[0]?.text, '[\n  "b"\n]');
  });

  it("answers with text as it came, and structured where it is an object", async () => {
    const text = '{ "temp": 22.50, "id": 12345678901234567890 }';
    const { call, seen } = await open({}, answer(200, text, "application/json; charset=utf-8"));
    const payload = await call("weather", { q: "Buenos Aires" });
    assert.equal(
      payload.text,
      `{"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}}`,
    );
    assert.equal(seen[0]?.url, "/v1/current.json?q=Buenos%20Aires");
  });

  it("gives a list as text alone, plain text as it is, and says where there is nothing", async () => {
    assert.deepEqual(await result(answer(200, "[1,2]", "application/json")), {
      content: [{ type: "text", text: "[1,2]" }],
    });
    assert.deepEqual(await result(answer(200, "<p>é</p>", "text/html")), {
      content: [{ type: "text", text: "<p>é</p>" }],
    });
    assert.deepEqual(await result(answer(204, "")), {
      content: [{ type: "text", text: "HTTP 204 No Content, no content" }],
    });
    assert.match(
      (await result(answer(200, Buffer.from([0, 1, 255]), "application/zip"))).content[0]?.text ?? "",
      /3 bytes of application\/zip/,
    );
  });

  it("keeps a result on one line, however the API wrote it", async () => {
    const { call } = await open({}, answer(200, '{\r\n  "a": "b\\n"\n}\n', "application/json"));
    const payload = await call("weather", { q: "x" });
    assert.doesNotMatch(payload.text, /[\r\n]/);
    assert.deepEqual((payload.value as Result).structuredContent, { a: "b\n" });
    assert.equal((payload.value as Result).content[0]?.text, '{\r\n  "a": "b\\n"\n}\n');
  });

  it("asked for no body answers with its headers", async () => {
    const { call } = await open({ operations: [operation({ method: "HEAD" })] }, answer(200, "", "text/css"));
    const { content } = (await call("weather", { q: "x" })).value as Result;
    assert.match(content[0]?.text ?? "", /^HTTP 200 OK\n(?:.*\n)*content-type: text\/css/);
  });

  it("may answer with something of any depth", async () => {
    const deep = `${'{"a":['.repeat(50_000)}"${SECRET}\\n"${"]}".repeat(50_000)}`;
    const auths = { "": { type: "bearer", token: SECRET } } as const;
    const { call } = await open({ auths, maxAnswerChars: 1_000_000 }, answer(200, deep, "application/json"));
    const { text } = await call("weather", { q: "x" });
    assertHidden(text);
  });

  it("gives images as images", async () => {
    const png = Buffer.from([0x89, 0x50, 0, 255]);
    const { content } = await result(answer(200, png, "image/png"));
    assert.deepEqual(content, [{ type: "image", data: png.toString("base64"), mimeType: "image/png" }]);
  });

  it("that says no is a tool that failed, with its status and some of its words", async () => {
    const refused = await result(answer(404, `{"error":"${"no ".repeat(2_000)}"}`, "application/json"));
    assert.equal(refused.isError, true);
    assert.match(refused.content[0]?.text ?? "", /^HTTP 404 Not Found\n\{"error":"no no/);
    assert.ok((refused.content[0]?.text.length ?? 0) < 2_200);
    assert.equal(
      (await result(answer(500, "boom", "text/plain"))).content[0]?.text,
      "HTTP 500 Internal Server Error\nboom",
    );
  });

  it("with a long answer is cut, and the rest can be had", async () => {
    const whole = JSON.stringify({ items: Array.from({ length: 50 }, (_, i) => `item 😀 ${i}`) });
    const { call } = await open({ maxAnswerChars: 100 }, answer(200, whole, "application/json"));
    let text = "";
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const { content, structuredContent } = (await call("weather", { q: "x", _offset: offset })).value as Result;
      assert.equal(structuredContent, undefined);
      assert.ok(content[0]?.text.isWellFormed());
      text += content[0]?.text;
      const next = /_offset=([0-9]+)/.exec(content[1]?.text ?? "")?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    assert.equal(text, whole);
    const picked = (await call("weather", { q: "x", _pick: "$.items" })).value as Result;
    assert.match(picked.content[0]?.text ?? "", /item 😀 0/);
  });

  it("is not asked with a path that is none, an offset that is none, or without what it needs", async () => {
    const { call, seen } = await open({});
    for (const args of [{ q: "x", _pick: "oops" }, { q: "x", _pick: 5 }, { q: "x", _offset: -1 }, {}]) {
      const error = await failure(call("weather", args));
      assert.deepEqual([error.code, error.delivery], ["INVALID_ARGUMENT", "not_sent"]);
    }
    assert.equal((await failure(call("nope", {}))).code, "UNKNOWN_TOOL");
    assert.deepEqual(seen, []);
  });

  it("is not asked at a private address unless that is allowed", async () => {
    const { call, seen } = await open({ allowPrivate: false });
    const error = await failure(call("weather", { q: "x" }));
    assert.deepEqual([error.code, error.delivery, seen.length], ["FORBIDDEN_ADDRESS", "not_sent", 0]);
  });
});

describe("the credentials of an API", () => {
  const auths: Readonly<Record<string, ApiOptions["auths"]>> = {
    header: { "": { type: "apiKey", in: "header", name: "X-API-Key", value: SECRET } },
    query: { "": { type: "apiKey", in: "query", name: "key", value: SECRET } },
    cookie: { "": { type: "apiKey", in: "cookie", name: "sid", value: SECRET } },
    body: { "": { type: "apiKey", in: "body", name: "key", value: SECRET } },
    bearer: { "": { type: "bearer", token: SECRET } },
    basic: { "": { type: "basic", username: "me", password: SECRET } },
    basicRaw: { "": { type: "basicRaw", value: Buffer.from(`me:${SECRET}`).toString("base64") } },
  };
  const basic = Buffer.from(`me:${SECRET}`).toString("base64");
  const sent: Readonly<Record<string, (seen: Seen) => boolean>> = {
    header: ({ headers }) => headers["x-api-key"] === SECRET,
    query: ({ url }) => new URL(url, "http://x").searchParams.get("key") === SECRET,
    cookie: ({ headers }) => headers.cookie === `sid=${encodeURIComponent(SECRET)}`,
    body: ({ body }) => JSON.parse(body).key === SECRET,
    bearer: ({ headers }) => headers.authorization === `Bearer ${SECRET}`,
    basic: ({ headers }) => headers.authorization === `Basic ${basic}`,
    basicRaw: ({ headers }) => headers.authorization === `Basic ${basic}`,
  };

  for (const [place, auth] of Object.entries(auths)) {
    it(`are sent (${place}), and never come back, though the API repeats them in every way`, async () => {
      const operations = [operation({ method: place === "body" ? "POST" : "GET" })];
      for (const status of [200, 400]) {
        const { call, seen, connection } = await open({ auths: auth, operations }, echo(status));
        const { text } = await call("weather", { q: "x" });
        assert.ok(sent[place]?.(seen[0] as Seen), JSON.stringify(seen));
        assertHidden(text);
        assertHidden(JSON.stringify(await connection.listTools(never)));
      }
    });
  }

  it("are not sent where the operation wants none, and are chosen by name", async () => {
    const two: ApiOptions["auths"] = {
      "": { type: "bearer", token: SECRET },
      other: { type: "apiKey", in: "header", name: "x-o", value: "o-key" },
    };
    const operations = [operation({ name: "open", security: [] }), operation({ name: "named", security: ["other"] })];
    const { call, seen } = await open({ auths: two, operations });
    await call("open", { q: "x" });
    await call("named", { q: "x" });
    assert.deepEqual(
      seen.map(({ headers }) => [headers.authorization, headers["x-o"]]),
      [
        [undefined, undefined],
        [undefined, "o-key"],
      ],
    );
  });

  it("do not come back in a spelling that only JSON knows", async () => {
    const spelled = JSON.stringify({ a: "very" }).replace('"very"', `"${escaped(SECRET)}"`);
    const { call } = await open(
      { auths: auths["bearer"] as ApiOptions["auths"] },
      answer(200, spelled, "application/json"),
    );
    const payload = await call("weather", { q: "x" });
    assert.deepEqual((payload.value as Result).structuredContent, { a: "[redacted]" });
    assert.ok(!payload.text.includes("u0076"));
  });

  it("in configured headers never come back either", async () => {
    const { call } = await open({ headers: { "X-Auth-Token": SECRET, "X-Version": "2022-11-28" } }, echo(200));
    const { text } = await call("weather", { q: "x" });
    assertHidden(text);
    assert.match(text, /2022-11-28/);
  });

  it("that no header can hold are in no error", async () => {
    const { call } = await open({ auths: { "": { type: "bearer", token: `${SECRET}\r\nX: 1` } } });
    const error = await failure(call("weather", { q: "x" }));
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    assertHidden(JSON.stringify([error, error.message, error.stack, String(error.cause), error.details]));
  });

  it("are in no error", async () => {
    const { call, stop } = await open({ auths: auths["query"] as ApiOptions["auths"] });
    await stop();
    const error = await failure(call("weather", { q: "x" }));
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    assertHidden(JSON.stringify([error, error.message, error.stack, String(error.cause), error.details]));
  });
});

describe("the pace of an API", () => {
  it("is what was configured, in any minute", async () => {
    const { call, clock, seen } = await open({ callsPerMinute: 2 });
    await call("weather", { q: "1" });
    await clock.advance(10_000);
    await call("weather", { q: "2" });
    const error = await failure(call("weather", { q: "3" }));
    assert.deepEqual([error.code, error.delivery, error.details.retryAfterMs], ["RATE_LIMITED", "not_sent", 50_000]);
    await clock.advance(50_000);
    await call("weather", { q: "4" });
    assert.equal(seen.length, 3);
  });

  it("is what the API asks for", async () => {
    const { call, clock, seen } = await open(
      {},
      (_seen, response) => void response.writeHead(429, { "retry-after": "30" }).end("slow down"),
    );
    const first = (await call("weather", { q: "x" })).value as Result;
    assert.match(first.content[0]?.text ?? "", /^HTTP 429 Too Many Requests\nThe API asks to be called again in 30 s/);
    const error = await failure(call("weather", { q: "x" }));
    assert.deepEqual([error.code, error.details.retryAfterMs, seen.length], ["RATE_LIMITED", 30_000, 1]);
    await clock.advance(30_000);
    await call("weather", { q: "x" });
    assert.equal(seen.length, 2);
  });
});

/** Everything that was received, once as JSON and once in its other spellings. */
function echo(status: number) {
  return (seen: Seen, response: ServerResponse): void => {
    const text = JSON.stringify(seen).replaceAll("/", "\\/");
    response.writeHead(status, { "content-type": "application/json" });
    response.end(`{"seen":${text},"plain":${JSON.stringify(JSON.stringify(seen))},"spelled":"${escaped(SECRET)}"}`);
  };
}

function escaped(text: string): string {
  return text.replace(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

function assertHidden(text: string): void {
  const forms = [SECRET, encodeURIComponent(SECRET), Buffer.from(`me:${SECRET}`).toString("base64"), "very-secret"];
  for (const form of forms) assert.ok(!text.includes(form), `${form} in ${text}`);
}

const open: TestApis["open"] = (given, handle) => apis.open(given, handle);

async function result(handle: Handle): Promise<Result> {
  return (await open({}, handle)).result({ q: "x" });
}
