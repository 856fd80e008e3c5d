/** A tool is called as the page does it, through the real door: what it says on the way, what it asks, and how it fails. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { untilLeft } from "../../../test/support/fake-gateway.ts";
import { makeTool } from "../../../test/support/make-call.ts";
import { makeError } from "../../../test/support/make-error.ts";
import { type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import { until } from "../../../test/support/processes.ts";
import { streamableHttp } from "../../doors/streamable-http.ts";
import { type ErrorCode, ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { Problem } from "./api.ts";
import { callTool, headerText, type Questions, rpcErrorOf, type ToolProgress } from "./call-tool.ts";

const ASKED = {
  message: "Who are you?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
};
const OK = { content: [{ type: "text", text: "done" }] };

describe("a call of a tool", () => {
  const { fetch } = globalThis;
  let doors: OpenDoors;

  // What a browser has and Node has not: a page that addresses are relative to, and a place for the key.
  before(() => {
    globalThis.sessionStorage ??= { getItem: () => null } as unknown as Storage;
    globalThis.localStorage ??= { getItem: () => null } as unknown as Storage;
    globalThis.fetch = (path, init) => fetch(new URL(String(path), doors.url), init);
  });
  after(() => {
    globalThis.fetch = fetch;
  });
  beforeEach(async () => {
    doors = await openDoors([streamableHttp]);
    doors.gateway.answer = async () => Payload.ofValue(OK);
  });
  afterEach(() => doors.close());

  const listen = (args: object = {}, signal?: AbortSignal) => {
    const heard: ToolProgress[] = [];
    return { heard, result: callTool("house", "lamp", args, signal, { onProgress: (one) => heard.push(one) }) };
  };

  it("arrives under the name that is always right, with its arguments", async () => {
    for (const call of [() => callTool("house", "lamp", { on: true }), () => listen({ on: true }).result]) {
      const { content } = await call();
      assert.deepEqual(content, OK.content);
      const last = doors.gateway.calls.at(-1);
      assert.deepEqual([last?.tool, last?.args.value], ["house__lamp", { on: true }]);
    }
  });

  it("keeps every digit, there and back", async () => {
    doors.gateway.answer = async ({ args }) => Payload.ofText(`{"structuredContent":${args.text}}`);
    const digits = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON("12345678901234567890");
    for (const call of [() => callTool("house", "lamp", { digits }), () => listen({ digits }).result]) {
      assert.match(JSON.stringify((await call()).structuredContent), /^\{"digits":12345678901234567890\}$/);
    }
  });

  it("tells how far the tool is, and then the answer", async () => {
    doors.gateway.answer = async ({ onProgress }) => {
      for (const progress of [1, 2])
        onProgress?.(Payload.ofValue({ progressToken: "its", progress, total: 2, message: "soon" }));
      return Payload.ofValue(OK);
    };
    const { heard, result } = listen();
    assert.deepEqual((await result).content, OK.content);
    assert.deepEqual(
      heard.map(({ progress, total, message }) => [progress, total, message]),
      [
        [1, 2, "soon"],
        [2, 2, "soon"],
      ],
    );
  });

  it("that is cancelled is cancelled at the tool, on the way too", async () => {
    for (const isStream of [false, true]) {
      const left: string[] = [];
      doors.gateway.answer = (request) => {
        if (isStream) request.onProgress?.(Payload.ofValue({ progressToken: 1, progress: 1 }));
        request.signal?.addEventListener("abort", () => left.push("left"));
        return untilLeft(request, new ZaguanError("CANCELLED"));
      };
      const stop = new AbortController();
      const { heard, result } = listen({}, stop.signal);
      result.catch(() => {});
      await until("it is under way", () => (isStream ? heard.length === 1 : doors.gateway.calls.length === 1));
      stop.abort();
      await assert.rejects(result, { name: "AbortError" });
      await until("the tool knows", () => left.length === 1);
    }
  });

  it("that the tool failed is a result", async () => {
    doors.gateway.answer = async () => Payload.ofValue({ ...OK, isError: true });
    assert.equal((await callTool("house", "lamp", {})).isError, true);
    assert.equal((await listen().result).isError, true);
  });

  const failures: readonly (readonly [ErrorCode, RegExp])[] = [
    ["INVALID_ARGUMENT", /no 'on'/],
    ["UNKNOWN_TOOL", /Unknown tool/],
    ["SOURCE_UNAVAILABLE", /not available|unavailable/],
    ["DEADLINE_EXCEEDED", /./],
  ];
  for (const [code, words] of failures) {
    it(`that the hub fails with ${code} is a problem, in its words`, async () => {
      const params = { reason: "no 'on'", tool: "x", source: "s", seconds: 1 };
      doors.gateway.answer = () => Promise.reject(makeError(code, { params }));
      for (const call of [() => callTool("house", "lamp", {}), () => listen().result]) {
        const problem = await call().then(
          () => assert.fail("it did not fail"),
          (cause: Problem) => cause,
        );
        assert.match(problem.message, words);
        const data = rpcErrorOf(problem)?.data as { code?: string } | undefined;
        assert.equal(problem.body.code ?? data?.code, code);
      }
    });
  }

  it("of a tool that wants arguments in headers is made the plain way", async () => {
    const properties = { region: { type: "string", "x-mcp-header": "Region" } };
    doors.gateway.tools = [makeTool("lamp", { inputSchema: { type: "object", properties } })];
    doors.gateway.answer = async ({ onProgress }) => {
      onProgress?.(Payload.ofValue({ progressToken: 1, progress: 1 }));
      return Payload.ofValue(OK);
    };
    const { heard, result } = listen({ region: "west" });
    assert.deepEqual((await result).content, OK.content);
    assert.deepEqual([heard.length, doors.gateway.calls.length], [1, 1]);
  });

  describe("of a tool that asks", () => {
    const asked: Questions[] = [];
    beforeEach(() => {
      asked.length = 0;
      doors.gateway.answer = async ({ caller, signal }) => {
        const name = await caller?.request("elicitation/create", Payload.ofValue(ASKED), signal as never);
        return Payload.ofValue({ content: [{ type: "text", text: name?.text ?? "nobody" }] });
      };
    });

    const answering = (
      answer: (questions: Questions) => Promise<Record<string, { action: "accept"; content?: object }>>,
      signal?: AbortSignal,
    ) =>
      callTool("house", "lamp", { a: 1 }, signal, {
        onQuestions: (questions) => {
          asked.push(questions);
          return answer(questions);
        },
      });

    it("goes on with the answer", async () => {
      const result = await answering(async (questions) => {
        return Object.fromEntries(
          Object.keys(questions).map((key) => [key, { action: "accept", content: { name: "Ana" } }]),
        );
      });
      assert.deepEqual(Object.values(asked[0] ?? {}), [{ method: "elicitation/create", params: ASKED }]);
      assert.equal(result.content?.[0]?.text, '{"action":"accept","content":{"name":"Ana"}}');
      assert.equal(doors.gateway.calls.length, 1);
    });

    it("tells it that nobody answers when it is given up", async () => {
      const stop = new AbortController();
      let heard = "";
      doors.gateway.answer = async ({ caller, signal }) => {
        heard = (await caller?.request("elicitation/create", Payload.ofValue(ASKED), signal as never))?.text ?? "";
        return Payload.ofValue(OK);
      };
      const result = answering(() => new Promise(() => {}), stop.signal);
      result.catch(() => {});
      await until("it is asked", () => asked.length === 1);
      stop.abort();
      await assert.rejects(result, { name: "AbortError" });
      await until("the tool hears of it", () => heard !== "");
      assert.equal(heard, '{"action":"cancel"}');
    });
  });
});

describe("a name in a header", () => {
  it("is itself where it is plain, else hidden", () => {
    assert.equal(headerText("house__lamp"), "house__lamp");
    assert.equal(headerText("ñ"), "=?base64?w7E=?=");
    for (const odd of ["", " a", "a ", "a\nb", "=?base64?eA==?="]) assert.match(headerText(odd), /^=\?base64\?.*\?=$/);
  });
});
