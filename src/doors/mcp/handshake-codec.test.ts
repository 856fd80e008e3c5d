import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fakeGateway, untilLeft } from "../../../test/support/fake-gateway.ts";
import { ALICE, makeCaller, makeTool } from "../../../test/support/make-call.ts";
import type { Caller, Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { type RpcCall, readMessage } from "../../protocol/json-rpc/message.ts";
import { VERSION } from "../../version.ts";
import { CatalogueTarget } from "./catalogue-target.ts";
import { HandshakeCodec } from "./handshake-codec.ts";

type Call = RpcCall & { readonly id: string };

describe("the handshake", () => {
  const versions = [
    ["2025-06-18", "2025-06-18"],
    ["2024-11-05", "2024-11-05"],
    ["2099-01-01", "2025-11-25"],
    [undefined, "2025-11-25"],
    [7, "2025-11-25"],
  ] as const;
  for (const [asked, agreed] of versions) {
    it(`asked for ${asked}, agrees on ${agreed}`, async () => {
      const { result } = await open().ask("initialize", { protocolVersion: asked });
      assert.equal(result?.["protocolVersion"], agreed);
    });
  }

  it("tells who we are and what may change", async () => {
    const { result } = await open().ask("initialize", {});
    assert.deepEqual(result?.["serverInfo"], { name: "zaguan", title: "Zaguan", version: VERSION });
    assert.deepEqual(result?.["capabilities"], {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    });
  });

  it("may come twice, late, or not at all", async () => {
    const { ask } = open();
    assert.ok((await ask("tools/list")).result);
    assert.ok((await ask("initialize")).result);
    assert.ok((await ask("initialize")).result);
  });
});

describe("prompts and resources", () => {
  const FILES = {
    resources: [{ uri: "f:1", "x-odd": 1 }, { uri: "f:2" }],
    resourceTemplates: [{ uriTemplate: "f:{n}" }],
  };

  it("are listed as their sources wrote them, in pages of one", async () => {
    const { gateway, ask } = open();
    gateway.offers.set("files", FILES);
    gateway.offers.set("talk", { prompts: [{ name: "hi", title: "Hi" }] });
    assert.deepEqual((await ask("resources/list")).result, { resources: FILES.resources });
    assert.deepEqual((await ask("resources/templates/list")).result, { resourceTemplates: FILES.resourceTemplates });
    assert.deepEqual((await ask("prompts/list")).result, { prompts: [{ name: "hi", title: "Hi" }] });
    assert.deepEqual((await ask("resources/list", { cursor: "f:2" })).result, { resources: [{ uri: "f:2" }] });
  });

  it("are asked of the source that offers them, as it was written", async () => {
    const { gateway, answer } = open();
    gateway.offers.set("files", FILES);
    await answer('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"f:9", "n":1.0}}');
    const [passed] = gateway.passed;
    assert.deepEqual([passed?.source, passed?.params.text], ["files", '{"uri":"f:9", "n":1.0}']);
  });

  it("say nothing unasked to who may use some tools only, but that these may have changed", async () => {
    for (const rights of [{ allow: ["lamp"] }, { links: { find: () => undefined } }]) {
      const { codec } = open({ principal: { ...ALICE, ...rights } });
      const hears = (method: string): boolean => codec.hears(method, Payload.ofText('{"level":"error"}'));
      assert.equal(hears("notifications/tools/list_changed"), true);
      for (const method of ["notifications/message", "notifications/tasks/status", "notifications/anything"]) {
        assert.equal(hears(method), false, method);
      }
    }
  });

  it("are heard of by those who subscribed, until they leave", async () => {
    const { gateway, ask, codec } = open();
    gateway.offers.set("files", FILES);
    const hears = (): boolean => codec.hears("notifications/resources/updated", Payload.ofText('{"uri":"f:1"}'));
    assert.equal(hears(), false);
    assert.equal((await ask("resources/subscribe", { uri: "f:1" })).error?.code, -32600, "it needs a session");
    const client = makeCaller() as Caller & { logLevel: string | undefined };
    for (const method of ["initialize", "resources/subscribe"]) {
      const call = readCall(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { uri: "f:1" } }));
      await codec.answer(call, { language: "en", notify: () => {}, client });
    }
    assert.equal(hears(), true);
    codec.end();
    assert.equal(hears(), false);
    assert.deepEqual(
      gateway.passed.map(({ method }) => method),
      ["resources/subscribe", "resources/unsubscribe"],
    );
  });

  it("are subscribed to once, however often that is asked before the first answer", async () => {
    const { gateway, codec } = open();
    gateway.offers.set("files", FILES);
    const client = makeCaller() as Caller & { logLevel: string | undefined };
    const context = { language: "en", notify: () => {}, client } as const;
    const ask = (method: string, uri: string) =>
      codec.answer(readCall(JSON.stringify({ jsonrpc: "2.0", id: uri, method, params: { uri } })), context);
    await ask("initialize", "");
    await Promise.all([ask("resources/subscribe", "f:1"), ask("resources/subscribe", "f:1")]);
    assert.equal(gateway.passed.length, 1);
    const many = Array.from({ length: 1_009 }, (_, n) => ask("resources/subscribe", `f:${n + 2}`));
    const refused = (await Promise.all(many)).filter((answer) => answer.error);
    assert.equal(refused.length, 10, "what is asked for at once counts at once");
  });
});

describe("requests", () => {
  it("a ping is answered with nothing, at any time", async () => {
    assert.deepEqual((await open().ask("ping")).result, {});
  });

  it("a list shows the tools as they are", async () => {
    const { ask, gateway } = open();
    gateway.tools = [makeTool("a", { "x-new": 1 })];
    assert.deepEqual((await ask("tools/list", { cursor: null })).result, { tools: gateway.tools });
  });

  it("a call carries who calls, in which language, through which door, and the arguments' own characters", async () => {
    const { answer, gateway } = open();
    const params = '{"name":"l\\u0061mp","arguments":{"n":1.0},"extra":[1]}';
    const { text } = await answer(
      `{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call","params":${params}}`,
    );
    const [call] = gateway.calls;
    assert.deepEqual([call?.tool, call?.args.text, call?.principal], ["lamp", '{"n":1.0}', ALICE]);
    assert.deepEqual([call?.door, call?.language, call?.onProgress], ["test", "en", undefined]);
    assert.equal(
      text,
      '{"jsonrpc":"2.0","id":12345678901234567890,"result":{"content":[{"type":"text","text":"on"}]}}',
    );
  });

  for (const args of ["", ',"arguments":null', ',"arguments":{}']) {
    it(`a call with ${args || "no arguments"} has none`, async () => {
      const { answer, gateway } = open();
      await answer(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lamp"${args}}}`);
      assert.equal(gateway.calls[0]?.args.text, "{}");
    });
  }

  const wrong: readonly (readonly [method: string, params: unknown, code: number])[] = [
    ["tools/call", {}, -32602],
    ["tools/call", null, -32602],
    ["tools/call", ["lamp"], -32602],
    ["tools/call", { name: 1 }, -32602],
    ["tools/call", { Name: "lamp" }, -32602],
    ["tools/call", { name: "lamp", arguments: [] }, -32602],
    ["tools/call", { name: "lamp", arguments: "on" }, -32602],
    ["tools/list", { cursor: "never given" }, -32602],
    ["resources/lists", {}, -32601],
    ["prompts/get", { name: "none" }, -32602],
    ["resources/read", { uri: "none:1" }, -32002],
    ["tasks/get", { taskId: "none" }, -32602],
    ["logging/setLevel", { level: "loud" }, -32602],
    ["constructor", {}, -32601],
    ["__proto__", {}, -32601],
    ["", {}, -32601],
  ];
  for (const [method, params, code] of wrong) {
    it(`${method || "no method"} with ${JSON.stringify(params)} is ${code}, and asks nothing of the hub`, async () => {
      const { ask, gateway } = open();
      assert.equal((await ask(method, params)).error?.code, code);
      assert.equal(gateway.calls.length, 0);
    });
  }
});

describe("failures", () => {
  const invalid = new ZaguanError("INVALID_ARGUMENT", { params: { reason: "missing required parameter 'q'" } });

  it("wrong arguments are a result with isError for official clients, so that the model sees them", async () => {
    const { ask, gateway } = open();
    gateway.answer = () => Promise.reject(invalid);
    const text = "Invalid params: missing required parameter 'q'";
    assert.deepEqual((await ask("tools/call", { name: "lamp" })).result, {
      content: [{ type: "text", text }],
      isError: true,
    });
  });

  it("wrong arguments are an error on bare JSON-RPC", async () => {
    const { ask, gateway } = open({ bare: true });
    gateway.answer = () => Promise.reject(invalid);
    assert.equal((await ask("tools/call", { name: "lamp" })).error?.code, -32602);
  });

  it("an unknown tool is an error for both", async () => {
    for (const bare of [true, false]) {
      const { ask, gateway } = open({ bare });
      gateway.answer = () => Promise.reject(new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } }));
      assert.equal((await ask("tools/call", { name: "x" })).error?.code, -32602);
    }
  });

  it("speak the language of the request", async () => {
    const { ask, gateway } = open({ language: "es" });
    gateway.answer = () => Promise.reject(new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } }));
    assert.equal((await ask("tools/call", { name: "x" })).error?.message, "Tool 'x' no encontrada");
  });

  it("that nobody expected are told by a reference only", async () => {
    const { ask, gateway } = open();
    gateway.answer = () => Promise.reject(new Error("/etc/passwd"));
    const { error } = await ask("tools/call", { name: "x" });
    assert.deepEqual([error?.code, error?.message], [-32603, "Internal error (reference ref)"]);
  });
});

describe("progress", () => {
  const PROGRESS = Payload.ofText('{"progressToken":17,"progress":1,"total":2,"message":"half"}');

  for (const token of ["abc", "", 0, 5]) {
    it(`goes back under the caller's token ${JSON.stringify(token)}, before the answer`, async () => {
      const { ask, gateway, notified } = open();
      gateway.answer = async ({ onProgress }) => {
        onProgress?.(PROGRESS);
        assert.equal(notified.length, 1);
        return Payload.ofText("{}");
      };
      await ask("tools/call", { name: "lamp", _meta: { progressToken: token } });
      assert.deepEqual(JSON.parse(notified[0] ?? ""), {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: token, progress: 1, total: 2, message: "half" },
      });
    });
  }

  for (const meta of [undefined, null, {}, { progressToken: null }, { progressToken: {} }, { a: "progressToken" }]) {
    it(`is not asked for by _meta ${JSON.stringify(meta)}`, async () => {
      const { ask, gateway } = open();
      await ask("tools/call", { name: "lamp", _meta: meta });
      assert.equal(gateway.calls[0]?.onProgress, undefined);
    });
  }
});

describe("cancelling", () => {
  it('ends the call of that id, 1 not being "1", and then nothing is answered', async () => {
    const { answer, gateway, codec } = open();
    gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    const numbered = answer(callText("1"));
    void answer(callText('"1"'));
    codec.notified(notification("notifications/cancelled", '{"requestId":1}'));
    assert.equal((await numbered).text, undefined);
    assert.deepEqual(
      gateway.calls.map(({ signal }) => signal?.aborted),
      [true, false],
    );
  });

  for (const params of ['{"requestId":99}', "{}", '{"requestId":null}', "[]"]) {
    it(`with ${params} disturbs nobody`, () => {
      const { answer, gateway, codec } = open();
      gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
      void answer(callText("1"));
      codec.notified(notification("notifications/cancelled", params));
      assert.equal(gateway.calls[0]?.signal?.aborted, false);
    });
  }

  it("happens to everything that runs when the client is gone", () => {
    const { answer, gateway, codec } = open();
    gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    for (const id of ["1", "2"]) void answer(callText(id));
    codec.end();
    assert.ok(gateway.calls.every(({ signal }) => signal?.aborted));
  });

  it("happens to one request when its own caller leaves", () => {
    const { answer, gateway } = open();
    gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    const caller = new AbortController();
    void answer(callText("1"), caller.signal);
    caller.abort();
    assert.equal(gateway.calls[0]?.signal?.aborted, true);
  });

  it("repeated ids are all served", async () => {
    const { answer } = open();
    const answers = await Promise.all([1, 2].map(() => answer(callText("0"))));
    assert.ok(answers.every(({ text }) => text?.startsWith('{"jsonrpc":"2.0","id":0,"result"')));
  });
});

interface Spoken {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

function open({ bare = false, language = "en" as Language, principal = ALICE as Principal } = {}) {
  const gateway = fakeGateway();
  const notified: string[] = [];
  const target = new CatalogueTarget({ gateway, offers: gateway.offers, door: "test" });
  const codec = new HandshakeCodec({ target, principal, bareAtFirst: bare, report: () => "ref" });
  const answer = (text: string, signal?: AbortSignal) =>
    codec.answer(readCall(text), { language, notify: (message) => notified.push(message), signal });
  const ask = async (method: string, params?: unknown): Promise<Spoken> =>
    JSON.parse((await answer(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))).text ?? "{}") as Spoken;
  return { gateway, notified, codec, answer, ask };
}

function callText(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"lamp"}}`;
}

function notification(method: string, params: string): RpcCall {
  return readCall(`{"jsonrpc":"2.0","method":"${method}","params":${params}}`);
}

function readCall(text: string): Call {
  const message = readMessage(text, { depth: 64, elements: 1_000 });
  assert.equal(message.kind, "call");
  return message as Call;
}
