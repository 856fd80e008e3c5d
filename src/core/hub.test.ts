import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ALICE, BOB, makeCaller, makeTool, watch } from "../../test/support/make-call.ts";
import { makeError } from "../../test/support/make-error.ts";
import { callOf, failureOf, openHub, passOf, untilAborted } from "../../test/support/open-hub.ts";
import type { ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { sayError } from "../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../protocol/json/payload.ts";
import type { Call, Principal, ServedRequest, ToolDefinition } from "./call.ts";
import type { HubEvent } from "./events.ts";
import type { Attachment, Hub } from "./hub.ts";

describe("listing", () => {
  it("shows every source's tools under public names, unknown fields included", async () => {
    const { hub, attach } = openHub();
    attach("house", [makeTool("on", { "x-new": { a: 1 } })]);
    attach("tv", [makeTool("on")]);
    assert.deepEqual(await hub.listTools(ALICE, "en"), [
      { source: "house", definition: makeTool("on", { "x-new": { a: 1 } }) },
      { source: "tv", definition: makeTool("tv__on") },
    ]);
  });

  it("is the same list until something changes", async () => {
    const { hub, attach } = openHub();
    attach("house", [makeTool("on")]);
    const before = await hub.listTools(ALICE, "en");
    assert.equal(await hub.listTools(ALICE, "en"), before);
    attach("tv", [makeTool("volume")]);
    assert.notEqual(await hub.listTools(ALICE, "en"), before);
  });

  it("shows a principal only what it may use", async () => {
    const { hub, attach } = openHub();
    attach("house", [makeTool("on"), makeTool("alarm")]);
    attach("tv", [makeTool("on")]);
    assert.deepEqual(await names(hub, { ...ALICE, allow: ["tv__*", "alarm"] }), ["alarm", "tv__on"]);
    assert.deepEqual(await names(hub, { ...ALICE, allow: [] }), []);
  });

  it("speaks the caller's language where the source can", async () => {
    const { hub, attach } = openHub();
    const translate: Attachment["translate"] = (tool, language) => ({ ...tool, description: language });
    attach("house", [makeTool("on")], { translate });
    for (const language of ["zh", "es", "zh"] as const) {
      assert.equal((await hub.listTools(ALICE, language))[0]?.definition.description, language);
    }
  });

  it("waits a little for a source that is still starting, and starts none whose tools are known", async () => {
    const { hub, attach, clock } = openHub();
    attach("known", [makeTool("a")], {}, { listTools: () => assert.fail("it was started") });
    const slow = Promise.withResolvers<readonly ToolDefinition[]>();
    attach("slow", undefined, {}, { listTools: () => slow.promise });
    const list = watch(names(hub));
    await clock.advance(4_000);
    assert.equal(list.state, "pending");
    slow.resolve([makeTool("b")]);
    await turn();
    assert.deepEqual(list.value, ["a", "b"]);
  });
});

describe("calling", () => {
  it("reaches a tool by its public name and by server__name, under the source's own name", async () => {
    const { hub, attach, requests } = openHub();
    attach("house", [makeTool("on")]);
    attach("tv", [makeTool("on")]);
    for (const tool of ["on", "house__on", "tv__on"]) await hub.call(callOf(tool));
    assert.deepEqual(
      requests.map(({ source, name }) => `${source} ${name}`),
      ["house on", "house on", "tv on"],
    );
  });

  it("gives the source the caller's params with its own name for the tool, and all else untouched", async () => {
    const { hub, attach, requests } = openHub();
    attach("house", [makeTool("on")]);
    attach("tv", [makeTool("on")]);
    const written = (name: string): string =>
      `{ "arguments" : {"name":"tv__on","n":1.0}, "name" :"${name}","task":{"ttl":1},"_meta":{"big":12345678901234567890} }`;
    for (const tool of ["tv__on", "house__on", "on"]) {
      await hub.call(callOf(tool, { params: Payload.ofText(written(tool)) }));
    }
    assert.deepEqual(
      requests.map(({ source, name, params }) => [source, name, params?.text]),
      ["tv", "house", "house"].map((source) => [source, "on", written("on")]),
    );
  });

  it("waits for a tool that a starting source may bring", async () => {
    const { hub, attach } = openHub();
    attach("slow", undefined, {}, { listTools: async () => [makeTool("late")] });
    assert.deepEqual((await hub.call(callOf("late"))).value, { from: "slow" });
  });

  it("reaches server__tool of a source that has not said what it offers, within the caller's rights", async () => {
    const { hub, attach, requests, clock } = openHub();
    attach("slow", undefined, {}, { listTools: () => new Promise(() => {}) });
    const called = hub.call(callOf("slow__late"));
    await clock.advance(5_000);
    await called;
    assert.deepEqual(
      requests.map(({ source, name }) => `${source} ${name}`),
      ["slow late"],
    );
    for (const request of [callOf("late"), callOf("slow__late", { principal: { ...ALICE, allow: ["slow__o*"] } })]) {
      const error = await failureOf(hub.call(request));
      assert.deepEqual([error.code, error.details.params], ["UNKNOWN_TOOL", { tool: request.tool }]);
    }
  });

  it("a tool that is not there and one that is not allowed are told apart by nothing", async () => {
    const { hub, attach, requests } = openHub();
    attach("house", [makeTool("lamp")]);
    const principal = { ...ALICE, allow: ["none"] };
    const tellings = [];
    for (const tool of ["lamp", "house__lamp", "nothing", "house__nothing"]) {
      const error = await failureOf(hub.call({ ...callOf(tool), principal }));
      tellings.push([error.code, error.details.params?.["tool"] === tool, error.delivery, error.details.data]);
    }
    assert.deepEqual(new Set(tellings.map((telling) => JSON.stringify(telling))).size, 1);
    assert.deepEqual(tellings[0], ["UNKNOWN_TOOL", true, "not_sent", undefined]);
    assert.equal(requests.length, 0);
  });

  it("is recorded alike, and answered as late, whether the tool is not there or not its caller's", async () => {
    const records = [];
    for (const tool of ["lamp", "house__lamp", "slow__late", "nothing", "house__nothing"]) {
      const { hub, attach, events, clock } = openHub();
      attach("house", [makeTool("lamp")]);
      attach("slow", undefined, {}, { listTools: () => new Promise(() => {}) });
      const call = watch(hub.call(callOf(tool, { principal: { ...ALICE, allow: ["none"] } })));
      await turn();
      assert.equal(call.state, "pending", `${tool}: a source that is coming up may bring it`);
      await clock.advance(5_000);
      assert.equal(call.state, "failed", tool);
      records.push(events.flatMap((event) => ("call" in event ? [recordOf(event, tool)] : [])));
    }
    const types = records[0]?.map(({ type, source }) => `${type} of '${source}'`);
    assert.deepEqual(types, ["call-started of ''", "call-ended of ''"]);
    for (const record of records) assert.deepEqual(record, records[0]);
  });

  it("that begins a task is asked about where it began, by its principal alone", async () => {
    const { hub, attach, requests } = openHub();
    attach("house", [makeTool("on")]);
    attach("tv", [makeTool("long")], {}, { request: async () => Payload.ofText('{"resultType":"task","taskId":"t"}') });
    await hub.call(callOf("long"));
    const about = {
      method: "tasks/get",
      params: Payload.ofText('{"taskId":"t"}'),
      language: "en",
      door: "test",
    } as const;
    await hub.offers.ask({ ...about, principal: ALICE });
    assert.deepEqual([requests.at(-1)?.source, requests.at(-1)?.method], ["tv", "tasks/get"]);
    assert.equal((await failureOf(hub.offers.ask({ ...about, principal: BOB }))).code, "INVALID_PARAMS");
  });

  it("that begins a task is in its principal's list of the source's tasks, and in nobody else's", async () => {
    const { hub, attach } = openHub();
    const tasks = [{ taskId: "t" }, { taskId: "of nobody" }];
    const answers: Record<string, unknown> = { "tasks/list": { tasks }, "tasks/get": { taskId: "t", tasks } };
    const request = async ({ method }: { method: string }) =>
      Payload.ofValue(answers[method] ?? { resultType: "task", taskId: "t" });
    attach("tv", [makeTool("long")], {}, { request });
    await hub.call(callOf("long"));
    const list = async (principal: Principal) =>
      (await hub.pass(passOf("tv", "tasks/list", "{}", { principal }))).value;
    assert.deepEqual(await list(ALICE), { tasks });
    assert.deepEqual(await list(BOB), { tasks: [{ taskId: "of nobody" }] });
    const get = passOf("tv", "tasks/get", '{"taskId":"of nobody"}', { principal: BOB });
    assert.deepEqual((await hub.pass(get)).value, answers["tasks/get"], "what is no list is passed as it is");
  });

  it("reaches a tool at its source's own door though it is not listed, within the caller's rights", async () => {
    const { hub, attach, requests } = openHub();
    attach("tv", [makeTool("on")]);
    const own = hub.through("tv");
    const limited = { ...ALICE, allow: ["tv__o*"] };
    const linked = { ...ALICE, links: { find: (_source: string, tool: string) => (tool === "on" ? {} : undefined) } };
    await own.call(callOf("hidden", { unchecked: true }));
    await own.call(callOf("other", { unchecked: true, principal: limited }));
    assert.deepEqual(
      requests.map(({ source, name }) => `${source} ${name}`),
      ["tv hidden", "tv other"],
    );
    for (const principal of [limited, linked]) {
      const error = await failureOf(own.call(callOf("hidden", { unchecked: true, principal })));
      assert.deepEqual([error.code, error.details.params], ["UNKNOWN_TOOL", { tool: "hidden" }]);
    }
    assert.equal(requests.length, 2);
  });

  it("gives the source, at its own door, the params with the very characters they were written in", async () => {
    const { hub, attach, requests } = openHub();
    attach("tv", [makeTool("on")]);
    const written = '{ "name":"\\u006fn", "arguments":{"n":1.0} }';
    await hub.through("tv").call(callOf("on", { params: Payload.ofText(written) }));
    assert.equal(requests[0]?.params?.text, written);
  });

  it("is possible at a source's own door for whoever was given it by name, though its list is not known", () => {
    const { hub, attach } = openHub();
    attach("tv", []);
    for (const [allow, isReachable] of [
      [["tv__*"], true],
      [["tv__on"], true],
      [["*__on"], false],
      [["on"], false],
    ] as const) {
      assert.equal(hub.isReachable("tv", { ...ALICE, allow }), isReachable, allow.join());
    }
  });

  it("a tool can be looked up by whoever may use it, by each of its names", () => {
    const { hub, attach } = openHub();
    attach("house", [makeTool("on")]);
    attach("tv", [makeTool("on", { title: "the tv's" })]);
    const onlyTv = { ...ALICE, allow: ["tv__*"] };
    assert.deepEqual(hub.findTool(ALICE, "on"), makeTool("on"));
    for (const principal of [ALICE, onlyTv]) {
      assert.deepEqual(hub.findTool(principal, "tv__on"), makeTool("on", { title: "the tv's" }));
    }
    for (const hidden of ["on", "house__on", "nothing"]) assert.equal(hub.findTool(onlyTv, hidden), undefined);
    assert.deepEqual(hub.through("tv").findTool(onlyTv, "on")?.["title"], "the tv's");
    assert.equal(hub.through("house").findTool(onlyTv, "on"), undefined);
  });

  const deadlines = [
    ["30 s by default", undefined, 30_000],
    ["what the caller asks for", 2_000, 2_000],
    ["never more than the most", 999_000, 300_000],
  ] as const;
  for (const [what, timeoutMs, expected] of deadlines) {
    it(`has a deadline: ${what}`, async () => {
      const { hub, attach, clock, requests } = openHub();
      attach("house", [makeTool("lamp")], {}, { request: () => new Promise(() => {}) });
      const outcome = watch(hub.call({ ...callOf("lamp"), timeoutMs }));
      await clock.advance(expected - 1);
      assert.equal(requests[0]?.signal.aborted, false);
      await clock.advance(1);
      assert.equal(requests[0]?.signal.aborted, true);
      await clock.advance(1_000);
      assert.equal((outcome.error as ZaguanError).code, "DEADLINE_EXCEEDED");
      assert.equal(hub.inFlight, 0);
    });
  }

  it("has the same deadline whether its client can be asked or not", async () => {
    const { hub, attach, clock, requests } = openHub();
    attach("house", [makeTool("lamp")], {}, { concurrency: 2, request: untilAborted });
    for (const canBeAsked of [true, false]) {
      watch(hub.call(callOf("lamp", { caller: makeCaller({ canBeAsked }) })));
    }
    await clock.advance(30_000);
    assert.deepEqual(
      requests.map(({ signal }) => signal.aborted),
      [true, true],
    );
  });

  it("begins its time anew with every progress, up to the most", async () => {
    const { hub, attach, clock, requests } = openHub();
    attach("house", [makeTool("lamp")], {}, { request: untilAborted });
    const told: Payload[] = [];
    watch(hub.call(callOf("lamp", { onProgress: (progress) => told.push(progress) })));
    await turn();
    for (let passed = 0; passed < 280_000; passed += 20_000) {
      await clock.advance(20_000);
      requests[0]?.onProgress?.(EMPTY_OBJECT);
    }
    assert.equal(requests[0]?.signal.aborted, false);
    await clock.advance(19_999);
    requests[0]?.onProgress?.(EMPTY_OBJECT);
    assert.equal(requests[0]?.signal.aborted, false);
    await clock.advance(1);
    assert.equal(requests[0]?.signal.aborted, true, "300 s are the most");
    assert.deepEqual(told, Array(15).fill(EMPTY_OBJECT), "each is told on");
  });

  it("ends when the time after the last progress is over", async () => {
    const { hub, attach, clock, requests } = openHub();
    attach("house", [makeTool("lamp")], {}, { request: untilAborted });
    watch(hub.call(callOf("lamp", { onProgress: () => {} })));
    await clock.advance(20_000);
    requests[0]?.onProgress?.(EMPTY_OBJECT);
    await clock.advance(29_999);
    assert.equal(requests[0]?.signal.aborted, false);
    await clock.advance(1);
    assert.equal(requests[0]?.signal.aborted, true);
  });

  it("keeps to the time that its caller named, whatever progress there is", async () => {
    const { hub, attach, clock, requests } = openHub();
    attach("house", [makeTool("lamp")], {}, { request: untilAborted });
    watch(hub.call(callOf("lamp", { onProgress: () => {}, timeoutMs: 5_000 })));
    await clock.advance(4_000);
    requests[0]?.onProgress?.(EMPTY_OBJECT);
    await clock.advance(1_000);
    assert.equal(requests[0]?.signal.aborted, true);
  });

  it("is not late while somebody is asked about it, up to the most", async () => {
    const { hub, attach, clock, requests } = openHub();
    attach("house", [makeTool("lamp")], {}, { concurrency: 2, request: untilAborted });
    for (let n = 0; n < 2; n++) watch(hub.call(callOf("lamp")));
    await turn();
    const [goOn] = requests.map((request) => request.hold?.());
    await clock.advance(200_000);
    assert.equal(requests[0]?.signal.aborted, false);
    goOn?.();
    await clock.advance(30_000);
    assert.deepEqual(
      requests.map(({ signal }) => signal.aborted),
      [true, false],
      "the answer starts the clock anew",
    );
    await clock.advance(70_000);
    assert.equal(requests[1]?.signal.aborted, true);
  });

  it("a caller that leaves ends its call at the source", async () => {
    const { hub, attach, requests } = openHub();
    attach("house", [makeTool("lamp")], {}, { request: untilAborted });
    const caller = new AbortController();
    const failure = failureOf(hub.call({ ...callOf("lamp"), signal: caller.signal }));
    await turn();
    assert.equal(hub.inFlight, 1);
    caller.abort();
    assert.equal((await failure).code, "CANCELLED");
    assert.equal(requests[0]?.signal.aborted, true);
  });

  it("for a caller that has left already reaches no source", async () => {
    const { hub, attach, requests } = openHub();
    attach("house", [makeTool("lamp")]);
    const failure = await failureOf(hub.call({ ...callOf("lamp"), signal: AbortSignal.abort() }));
    assert.equal(failure.code, "CANCELLED");
    assert.equal(requests.length, 0);
  });

  it("is told when it begins and when it has ended, with its time and outcome", async () => {
    const { hub, attach, events } = openHub();
    attach("house", [makeTool("lamp")], {}, { request: () => Promise.reject(makeError("SOURCE_ERROR")) });
    await failureOf(hub.call(callOf("lamp")));
    const [started, ended] = events;
    assert.ok(started?.type === "call-started" && ended?.type === "call-ended" && events.length === 2);
    assert.equal(started.call, ended.call);
    const { id, door, principal, source, name, priority } = started.call;
    assert.deepEqual([id, door, principal, source, name, priority], [1, "test", ALICE, "house", "lamp", "MEDIUM"]);
    const { call: _, ...outcome } = ended;
    assert.deepEqual(outcome, { type: "call-ended", ms: 0, attempts: 1, cached: false, error: "SOURCE_ERROR" });
  });

  it("that fails unexpectedly is told with a reference that the log repeats, and no inner detail", async () => {
    const { hub, attach, events } = openHub();
    const cause = new TypeError("at /home/me/secret.ts");
    attach("house", [makeTool("lamp")], {}, { request: () => Promise.reject(cause) });
    const error = await failureOf(hub.call(callOf("lamp")));
    const told = events.find((event) => event.type === "internal-error");
    assert.equal(error.code, "INTERNAL");
    assert.equal(told?.cause, cause);
    assert.deepEqual(error.details.params, { reference: told?.reference });
  });
});

describe("answers that may be kept", () => {
  const policy = { repeatable: [], cacheSeconds: { read: 600 } };

  it("are kept if they are complete, and not if they only ask for more or have become a task", async () => {
    const { hub, attach, requests } = openHub();
    const answers = ['{"resultType":"input_required"}', '{"resultType":"task","taskId":"t"}', '{"isError":true}'];
    const last = '{"resultType":"complete","n":1.0}';
    const answer = async (): Promise<Payload> => Payload.ofText(answers[requests.length - 1] ?? last);
    attach("house", [makeTool("read")], { policy }, { request: answer });
    const read = async (): Promise<string> => (await hub.call(callOf("read"))).text;
    for (const expected of [...answers, last, last]) assert.equal(await read(), expected);
    assert.equal(requests.length, 4);
  });

  it("are asked for in nobody's name: what is shared asks nobody and tells nobody", async () => {
    const { hub, attach, requests } = openHub();
    const shared = Promise.withResolvers<Payload>();
    attach(
      "house",
      [makeTool("read"), makeTool("write")],
      { policy },
      { concurrency: 2, request: () => shared.promise },
    );
    const told = { onProgress: () => {}, onNotification: () => {} };
    const calls = ["read", "read", "write"].map((tool) => hub.call(callOf(tool, { ...told, caller: makeCaller() })));
    await turn();
    const [read, write] = requests;
    assert.deepEqual(
      [requests.length, read?.caller, read?.onProgress, read?.onNotification],
      [2, ...Array(3).fill(undefined)],
    );
    assert.ok(write?.caller && write.onProgress && write.onNotification);
    shared.resolve(Payload.ofText('"once"'));
    assert.deepEqual(
      (await Promise.all(calls)).map(({ text }) => text),
      ['"once"', '"once"', '"once"'],
    );
  });
});

describe("changes", () => {
  it("are told once for a burst, and no longer after the end of listening", async () => {
    const { hub, attach, clock } = openHub();
    let told = 0;
    const stop = hub.onToolsChanged(() => told++);
    for (const name of ["a", "b", "c"]) attach(name, undefined, {}, { listTools: async () => [makeTool(name)] });
    await clock.advance(1_000);
    assert.equal(told, 1);
    await hub.detach("a");
    await clock.advance(1_000);
    assert.equal(told, 2);
    stop();
    await hub.detach("b");
    await clock.advance(1_000);
    assert.equal(told, 2);
  });

  it("are not told where the source offers the same as before", async () => {
    const { hub, attach, clock } = openHub();
    attach("a", [makeTool("x")], {}, { listTools: async () => [makeTool("x")] });
    await clock.advance(1_000);
    hub.onToolsChanged(() => assert.fail("nothing changed"));
    hub.refresh("a");
    hub.cameUp("a");
    await clock.advance(1_000);
  });

  it("are taken up when a source tells of them, kept for the next start, and empty the cache", async () => {
    const { hub, attach, events, kept } = openHub();
    let offered = [makeTool("x")];
    const policy = { repeatable: [], cacheSeconds: { x: 600 } };
    let answers = 0;
    const answer = async () => Payload.ofValue(++answers);
    attach("a", offered, { policy }, { listTools: async () => offered, request: answer });
    const read = async () => (await hub.call(callOf("x"))).value;
    assert.deepEqual([await read(), await read()], [1, 1]);
    offered = [makeTool("x"), makeTool("y")];
    hub.refresh("a");
    await turn();
    assert.deepEqual(await names(hub), ["x", "y"]);
    assert.deepEqual(kept, [["a", ["x", "y"]]]);
    assert.ok(events.some((event) => event.type === "tools-changed" && event.count === 2));
    assert.equal(await read(), 2);
  });

  it("empty the cache even where the list stays the same", async () => {
    const { hub, attach } = openHub();
    let answers = 0;
    const policy = { repeatable: [], cacheSeconds: { x: 600 } };
    const listTools = async () => [makeTool("x")];
    attach("a", [makeTool("x")], { policy }, { listTools, request: async () => Payload.ofValue(++answers) });
    await hub.call(callOf("x"));
    hub.refresh("a");
    assert.equal((await hub.call(callOf("x"))).value, 2);
  });

  it("of a source that was removed meanwhile are not taken up", async () => {
    const { hub, attach } = openHub();
    const slow = Promise.withResolvers<readonly ToolDefinition[]>();
    attach("a", undefined, {}, { listTools: () => slow.promise });
    await hub.detach("a");
    slow.resolve([makeTool("ghost")]);
    await turn();
    assert.deepEqual(await names(hub), []);
  });
});

describe("a source that another node holds from now on", () => {
  for (const [isLost, waitMs] of [
    [false, 60_000],
    [true, 0],
  ] as const) {
    it(`is closed here ${isLost ? "at once where it was lost" : "when its calls have ended, or after a minute"}`, async () => {
      const { hub, attach, clock, closed } = openHub();
      attach("a", [makeTool("x")], {}, { request: () => new Promise(() => {}) });
      const call = watch(hub.call({ ...callOf("x"), timeoutMs: 300_000 }));
      await turn();
      const moved = watch(hub.move("a", async () => attach("a", [makeTool("x")], {}, { isElsewhere: true }), isLost));
      await turn();
      if (waitMs > 0) {
        await clock.advance(waitMs - 1);
        assert.deepEqual([closed, moved.state], [[], "pending"]);
      }
      await clock.advance(1);
      assert.deepEqual([closed, moved.state, call.state], [["a"], "done", "pending"]);
      assert.equal(hub.queue().processing, 0, "its queue is gone with it");
    });
  }
});

describe("a call that another node forwards", () => {
  const served = (source: string): ServedRequest => ({
    ...passOf(source, "tools/call", '{"name":"x"}'),
    name: "x",
    args: EMPTY_OBJECT,
    meta: undefined,
  });

  it("takes its place in the queue, and reaches the source when that node says so", async () => {
    const { hub, attach, requests } = openHub();
    attach("a", [makeTool("x")]);
    const go = Promise.withResolvers<void>();
    let turns = 0;
    const call = watch(
      hub.serve(served("a"), () => {
        turns++;
        return go.promise;
      }),
    );
    await turn();
    assert.deepEqual([turns, hub.queue().processing, requests.length, call.state], [1, 1, 0, "pending"]);
    go.resolve();
    await turn();
    assert.deepEqual([turns, hub.queue().processing, requests.length, call.state], [1, 0, 1, "done"]);
  });

  it("is refused where the source is gone, or held by yet another node", async () => {
    const { hub, attach } = openHub();
    attach("b", [makeTool("x")], {}, { isElsewhere: true });
    for (const source of ["a", "b"]) {
      const { delivery } = await failureOf(hub.serve(served(source), () => assert.fail("its turn came")));
      assert.equal(delivery, "not_sent", source);
    }
  });
});

describe("a source that could not be put into its new place", () => {
  it("is closed all the same where it was, since another node may have it now", async () => {
    const { hub, attach, closed } = openHub();
    attach("a", [makeTool("x")]);
    await assert.rejects(
      hub.move("a", () => Promise.reject(new Error("no"))),
      /no/,
    );
    assert.deepEqual(closed, ["a"]);
  });
});

describe("names that two sources claim", () => {
  it("are told as long as they do, and their version grows when they may have changed", async () => {
    const { hub, attach } = openHub();
    attach("house", [makeTool("on")]);
    const before = hub.namesVersion();
    attach("tv", [makeTool("on")]);
    assert.ok(hub.namesVersion() > before);
    assert.deepEqual(hub.clashes(), [{ tool: "on", keeper: "house", renamed: "tv__on" }]);
    assert.deepEqual([hub.renamed("tv", "on"), hub.renamed("house", "on")], ["tv__on", undefined]);
    const during = hub.namesVersion();
    await hub.detach("house");
    assert.ok(hub.namesVersion() > during);
    assert.deepEqual([hub.clashes(), hub.renamed("tv", "on")], [[], undefined]);
  });

  it("are the second's for good, where the first was too slow for a list that somebody has read", async () => {
    const { hub, attach, clock } = openHub();
    const slow = Promise.withResolvers<readonly ToolDefinition[]>();
    attach("first", undefined, {}, { listTools: () => slow.promise });
    attach("second", [makeTool("echo")], {}, { request: async () => Payload.ofValue("second") });
    const list = watch(names(hub));
    await clock.advance(6_000);
    assert.deepEqual(list.value, ["echo"]);
    slow.resolve([makeTool("echo")]);
    await turn();
    assert.deepEqual(await names(hub), ["first__echo", "echo"]);
    assert.equal((await hub.call(callOf("echo"))).value, "second");
  });

  it("are the first's, where that is heard before anybody gets an answer", async () => {
    const { hub, attach } = openHub();
    const slow = Promise.withResolvers<readonly ToolDefinition[]>();
    const request = async () => Payload.ofValue("first");
    attach("first", undefined, {}, { listTools: () => slow.promise, request });
    attach("second", [makeTool("echo")], {}, { request: async () => Payload.ofValue("second") });
    assert.deepEqual(hub.clashes(), []);
    const called = hub.call(callOf("echo"));
    slow.resolve([makeTool("echo")]);
    assert.equal((await called).value, "first");
    assert.deepEqual(await names(hub), ["echo", "second__echo"]);
  });

  it("stay where they are while their source is replaced, or away", async () => {
    const { hub, attach } = openHub();
    attach("first", [makeTool("echo")]);
    attach("second", [makeTool("echo")]);
    await names(hub);
    await hub.replace("first", async () => assert.deepEqual(await names(hub), ["second__echo"]));
    attach("first", [makeTool("echo")]);
    await hub.detach("first", "away");
    assert.deepEqual(await names(hub), ["second__echo"]);
    attach("first", [makeTool("echo")]);
    assert.deepEqual(await names(hub), ["second__echo", "echo"]);
  });
});

describe("what an agent is linked to", () => {
  const linked = { source: "box", tool: makeTool("say", { description: "as it was" }) };
  const links = {
    find: (source: string, tool: string) => (`${source} ${tool}` === "box say" ? {} : undefined),
    all: () => [linked],
  };
  const agent: Principal = { ...ALICE, links };

  it("is listed while its source is away, and a call is told that", async () => {
    const { hub, attach, clock } = openHub();
    attach("tv", [makeTool("on")]);
    assert.deepEqual(await hub.listTools(agent, "en"), [{ source: "box", definition: linked.tool }]);
    assert.deepEqual(await names(hub), ["on"], "to others it is not there");
    assert.equal(hub.findTool(agent, "box__say"), linked.tool);
    for (const name of ["say", "box__say"]) {
      const failure = failureOf(hub.call({ ...callOf(name), principal: agent }));
      await clock.advance(10_000);
      assert.equal((await failure).code, "SOURCE_UNAVAILABLE");
    }
    assert.equal((await failureOf(hub.call(callOf("say")))).code, "UNKNOWN_TOOL");
  });

  it("is called as it was, when its source is back", async () => {
    const { hub, attach } = openHub();
    assert.deepEqual(await names(hub, agent), ["say"]);
    attach("box", [makeTool("say")], {}, { request: async () => Payload.ofValue("said") });
    assert.deepEqual(await names(hub, agent), ["say"]);
    assert.equal((await hub.call({ ...callOf("say"), principal: agent })).value, "said");
  });

  it("is gone, where its source is there without it", async () => {
    const { hub, attach } = openHub();
    attach("box", [makeTool("other")]);
    assert.deepEqual(await names(hub, agent), []);
    assert.equal((await failureOf(hub.call({ ...callOf("say"), principal: agent }))).code, "UNKNOWN_TOOL");
  });

  it("has no name that another has", async () => {
    const { hub, attach } = openHub();
    attach("tv", [makeTool("say")]);
    assert.deepEqual(await names(hub, agent), ["box__say"]);
  });
});

describe("restarting", () => {
  it("is the source's own business, which keeps its place and its tools meanwhile", async () => {
    const { hub, attach } = openHub();
    const restarted = Promise.withResolvers<void>();
    attach("house", [makeTool("on")], {}, { restart: () => restarted.promise });
    const restarting = watch(hub.restart("house"));
    await turn();
    assert.deepEqual([restarting.state, await names(hub)], ["pending", ["on"]]);
    restarted.resolve();
    await turn();
    assert.equal(restarting.state, "done");
  });

  it("cannot be done to a source that is not there", async () => {
    const { hub } = openHub();
    await assert.rejects(hub.restart("house"), { code: "SOURCE_UNAVAILABLE", delivery: "not_sent" });
  });
});

describe("what a server says of itself", () => {
  it("is not waited for longer than for a call, and the refusal tells how long that was", async () => {
    const { hub, attach, clock } = openHub();
    const face = (signal: CancelSignal): Promise<never> =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    attach("slow", [], {}, { face });
    const failure = failureOf(hub.face("slow", new AbortController().signal));
    await clock.advance(30_000);
    assert.equal(sayError("en", await failure), "'slow' did not answer within 30 s");
  });
});

describe("closing", () => {
  it("ends what is under way, closes every source and leaves no timer", async () => {
    const { hub, attach, clock, closed } = openHub();
    attach("a", [makeTool("x")], {}, { request: untilAborted });
    attach("b", [makeTool("y")]);
    const failure = failureOf(hub.call(callOf("x")));
    await turn();
    await hub.close();
    assert.equal((await failure).code, "CANCELLED");
    assert.deepEqual(closed, ["a", "b"]);
    assert.deepEqual([hub.sources(), hub.inFlight, clock.pending], [[], 0, 0]);
  });
});

/** All that an event tells of a call, but for the name by which the tool was called. */
function recordOf({ call, ...event }: Extract<HubEvent, { call: Call }>, called: string) {
  const { id, name, method, source, tool, args, principal, door, trace } = call;
  assert.deepEqual([name, tool?.name], [called, called]);
  return { ...event, id, method, source, schema: tool?.inputSchema, args, principal, door, trace };
}

async function names(hub: Hub, principal: Principal = ALICE): Promise<string[]> {
  return (await hub.listTools(principal, "en")).map(({ definition }) => definition.name);
}
