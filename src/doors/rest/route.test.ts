import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { z } from "zod";
import { type Asked, type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import { fc } from "../../../test/support/seed.ts";
import { ZaguanError } from "../../errors.ts";
import type { DoorFactory } from "../door.ts";
import { type RestAnswer, restDoor, route } from "./route.ts";

const NEW_LAMP = z.strictObject({
  name: z.string().min(1).max(5),
  baseUrl: z.url().optional(),
  level: z.int().min(0).max(100).optional(),
  kind: z.enum(["led", "neon"]).optional(),
  place: z.strictObject({ room: z.string(), floor: z.int().optional() }).optional(),
  tags: z.array(z.string()).max(2).optional(),
  until: z.union([z.string(), z.strictObject({ hours: z.number() })]).optional(),
  headers: z.record(z.string().regex(/^[a-z]+$/), z.string()).optional(),
  never: z
    .string()
    .refine(() => false, { params: { say: "rule.never" } })
    .optional(),
});

let fails: unknown;

const lamps: DoorFactory = (context) =>
  restDoor(context, "lamps", [
    route(
      {
        method: "POST",
        path: "/lamps",
        operationId: "addLamp",
        tag: "Lamps",
        summary: "Adds a lamp",
        body: NEW_LAMP,
        answers: { 201: { description: "Added." } },
        needs: "see",
      },
      ({ body }): RestAnswer => ({ status: 201, body, headers: { location: `/lamps/${body.name}` } }),
    ),
    route(
      {
        method: "GET",
        path: "/lamps/{id}",
        operationId: "showLamp",
        tag: "Lamps",
        summary: "Shows a lamp",
        query: z.object({ level: z.coerce.number().int().default(1), room: z.string().optional() }),
        answers: { 200: { description: "The lamp." } },
        needs: "see",
      },
      ({ names, query, principal, language, url, header }): RestAnswer => ({
        status: 200,
        body: { id: names["id"], query, who: principal.id, language, url, agent: header("user-agent") },
      }),
    ),
    route(
      {
        method: "DELETE",
        path: "/lamps/{id}",
        operationId: "dropLamp",
        tag: "Lamps",
        summary: "Drops a lamp",
        answers: { 204: { description: "Gone." } },
        needs: "see",
      },
      (): RestAnswer => ({ status: 204 }),
    ),
    route(
      {
        method: "PATCH",
        path: "/lamps/{id}",
        operationId: "failLamp",
        tag: "Lamps",
        summary: "Fails",
        answers: {},
        needs: "see",
      },
      () => Promise.reject(fails),
    ),
  ]);

describe("a REST route", () => {
  let doors: OpenDoors;
  before(async () => {
    doors = await openDoors([lamps], { settings: { bodyBytes: 2_000 }, limits: { depth: 5 } });
  });
  after(() => doors.close());

  const post = (body: unknown, headers: Asked["headers"] = {}) =>
    doors.ask("/lamps", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  it("hands a checked body to its handler, and answers as that says", async () => {
    const { status, headers, json } = await post({ name: "salon", level: 3 });
    assert.deepEqual([status, headers.location, headers["content-type"]], [201, "/lamps/salon", "application/json"]);
    assert.deepEqual(json, { name: "salon", level: 3 });
  });

  it("tells its handler who asks for what, with the query as values", async () => {
    const asked = { headers: { "x-api-key": "ann", "accept-language": "es", "user-agent": "me" } };
    const { json } = await doors.ask("/lamps/the%20one?level=7&stranger=1", asked);
    const expected = { id: "the one", query: { level: 7 }, who: "key:ann", language: "es", agent: "me" };
    assert.deepEqual(json, { ...expected, url: "/lamps/the%20one?level=7&stranger=1" });
  });

  it("may answer with nothing", async () => {
    const { status, text } = await doors.ask("/lamps/a", { method: "DELETE" });
    assert.deepEqual([status, text], [204, ""]);
  });

  it("answers HEAD where it answers GET", async () => {
    const { status, text } = await doors.ask("/lamps/a", { method: "HEAD" });
    assert.deepEqual([status, text], [200, ""]);
  });

  it("says of a body that does not fit which field is wrong, as a problem", async () => {
    const { status, headers, json } = await post({ name: 7 });
    assert.deepEqual([status, headers["content-type"]], [400, "application/problem+json"]);
    assert.deepEqual(json, {
      type: "about:blank",
      title: "Bad Request",
      status: 400,
      detail: "Invalid params: parameter 'name' must be string",
      code: "INVALID_PARAMS",
      errors: [{ field: "name", message: "must be string" }],
    });
  });

  const wrong: readonly (readonly [unknown, string, string])[] = [
    [{}, "name", "is missing"],
    [{ name: "" }, "name", "must have at least 1 character(s)"],
    [{ name: "longer" }, "name", "must have at most 5 character(s)"],
    [{ name: "a", baseUrl: "nowhere" }, "baseUrl", "must be a URL"],
    [{ name: "a", level: 1.5 }, "level", "must be integer"],
    [{ name: "a", level: -1 }, "level", "must be at least 0"],
    [{ name: "a", level: 101 }, "level", "must be at most 100"],
    [{ name: "a", kind: "gas" }, "kind", "must be one of: led, neon"],
    [{ name: "a", baseUrI: "x" }, "baseUrI", "is not known here; did you mean 'baseUrl'?"],
    [{ name: "a", colour: "x" }, "colour", "is not known here"],
    [{ name: "a", place: { room: "x", flor: 1 } }, "place.flor", "is not known here; did you mean 'floor'?"],
    [{ name: "a", place: [] }, "place", "must be object"],
    [{ name: "a", tags: ["a", 1] }, "tags[1]", "must be string"],
    [{ name: "a", tags: ["a", "b", "c"] }, "tags", "must have at most 2 item(s)"],
    [{ name: "a", until: 5 }, "until", "must fit one of the allowed forms"],
    [{ name: "a", until: { hours: "x" } }, "until.hours", "must be number"],
    [{ name: "a", headers: { A1: "x" } }, "headers.A1", "must match the pattern /^[a-z]+$/"],
    [{ name: "a", never: "x" }, "never", "must not be given"],
    [[], "", "must be object"],
    ["null", "", "must be object"],
  ];
  for (const [body, field, message] of wrong) {
    it(`refuses ${JSON.stringify(body)} for its field '${field}'`, async () => {
      const { status, json } = await post(body);
      assert.equal(status, 400);
      assert.deepEqual(json["errors"], [{ field, message }]);
      assert.ok(String(json["detail"]).includes(field === "" ? "the body" : `'${field}'`));
    });
  }

  for (const [language, detail] of [
    ["es", "Parámetros inválidos: el parámetro 'nam' no se conoce aquí; ¿quiso decir 'name'?"],
    ["fr", "Paramètres invalides\u00a0: le paramètre 'nam' n'est pas connu ici\u00a0; vouliez-vous dire 'name'\u00a0?"],
    ["zh", "参数无效：参数 'nam' 无法识别；您是否想写 'name'？"],
  ] as const) {
    it(`speaks ${language}`, async () => {
      const { json } = await post({ nam: "x", name: "x" }, { "accept-language": language });
      assert.equal(json["detail"], detail);
    });
  }

  it("tells of every field at once, but of no more than a few", async () => {
    const { json } = await post({ nam: 1, nema: 2, level: "x" });
    assert.deepEqual(
      (json["errors"] as { field: string }[]).map(({ field }) => field),
      ["name", "level", "nam", "nema"],
    );
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 1]));
    assert.equal(((await post({ name: "a", ...many })).json["errors"] as unknown[]).length, 20);
  });

  it("answers whatever JSON it is sent with a problem or with a lamp", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 3 }), async (body) => {
        const { status, json } = await post(body);
        assert.ok([201, 400].includes(status), `${status} for ${body}`);
        if (status === 400) assert.ok(json["code"] && json["detail"], body);
      }),
      { numRuns: 200 },
    );
  });

  for (const [what, query, field] of [
    ["a number that is none", "level=high", "level"],
    ["a fraction", "level=1.5", "level"],
    ["a parameter that comes twice", "room=a&room=b", "room"],
  ] as const) {
    it(`refuses ${what} in the query`, async () => {
      const { status, json } = await doors.ask(`/lamps/a?${query}`);
      assert.equal(status, 400);
      assert.equal((json["errors"] as { field: string }[])[0]?.field, field);
    });
  }

  for (const [what, body, status, code] of [
    ["JSON that is none", "{", 400, "BAD_JSON"],
    ["a key twice", '{"name":"a","name":"b"}', 400, "BAD_REQUEST"],
    ["__proto__", '{"name":"a","__proto__":{}}', 400, "BAD_REQUEST"],
    ["what is too deep", `{"name":${"[".repeat(9)}${"]".repeat(9)}}`, 400, "BAD_REQUEST"],
    ["what is too large", `{"name":"${"a".repeat(3_000)}"}`, 413, "TOO_LARGE"],
  ] as const) {
    it(`refuses ${what} with a problem`, async () => {
      const answer = await post(body);
      assert.deepEqual([answer.status, answer.json["status"], answer.json["code"]], [status, status, code]);
      assert.equal(answer.headers["content-type"], "application/problem+json");
    });
  }

  it("refuses what is not declared as JSON", async () => {
    const { status, headers, json } = await post("name=a", { "content-type": "application/x-www-form-urlencoded" });
    assert.deepEqual([status, json["code"], headers.connection], [415, "UNSUPPORTED_MEDIA", "close"]);
  });

  it("takes no body for an empty one, and names what is missing", async () => {
    const { status, json } = await doors.ask("/lamps", { method: "POST" });
    assert.deepEqual([status, json["errors"]], [400, [{ field: "name", message: "is missing" }]]);
  });

  it("answers a known failure with the status of its row, its headers and what may be told", async () => {
    const params = { waiting: 3, source: "tv", seconds: 2 };
    fails = new ZaguanError("NO_CAPACITY", { params, retryAfterMs: 1_500, delivery: "not_sent", data: { queue: 3 } });
    const { status, headers, json } = await doors.ask("/lamps/a", { method: "PATCH" });
    assert.deepEqual([status, headers["retry-after"]], [503, "2"]);
    assert.deepEqual(json, {
      type: "about:blank",
      title: "Service Unavailable",
      status: 503,
      code: "NO_CAPACITY",
      queue: 3,
      detail: "Too busy: 3 calls are waiting for 'tv'; try again in 2 s",
      delivery: "not_sent",
      retryAfterMs: 1_500,
    });
  });

  it("answers what nobody expected by a reference, without a word of the cause", async () => {
    fails = new TypeError("at /home/me/secret.ts");
    const { status, json, text } = await doors.ask("/lamps/a", { method: "PATCH" });
    assert.deepEqual([status, json["detail"]], [500, "Internal error (reference ref-1)"]);
    assert.doesNotMatch(text, /secret/);
    assert.deepEqual(doors.reported, [fails]);
  });
});
